const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** Makes an unguessable token out of letters and digits: almost 6 bits a character. */
export function randomToken(length: number): string {
  let token = "";
  while (token.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      // Above the last whole multiple some letters would come more often.
      if (byte < 248 && token.length < length) token += letters.charAt(byte % letters.length);
    }
  }
  return token;
}
