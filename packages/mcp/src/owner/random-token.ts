const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** Random bytes are fetched for many tokens at once; each is used once. */
const pool = new Uint8Array(4_096);
let used = pool.length;

/** Makes an unguessable token out of letters and digits: almost 6 bits a character. */
export function randomToken(length: number): string {
  let token = "";
  while (token.length < length) {
    const byte = nextByte();
    // Above the last whole multiple some letters would come more often.
    if (byte < 248) token += letters.charAt(byte % letters.length);
  }
  return token;
}

function nextByte(): number {
  if (used >= pool.length) {
    crypto.getRandomValues(pool);
    used = 0;
  }
  const byte = pool[used] ?? 255;
  pool[used] = 0;
  used += 1;
  return byte;
}
