const leastBits = 128;

/**
 * Tells whether a self-asserted `client_id` is random enough to be an owner of its own.
 *
 * The measure is an estimate: length times the size of the alphabet that it seems to come from. An id of one kind of
 * letters only is taken for words. It keeps names such as `laptop` from colliding between people; it cannot make a
 * guessable id secret.
 */
export function isStrongClientId(clientId: string): boolean {
  if (!/^[A-Za-z0-9_.:-]+$/.test(clientId) || new Set(clientId).size < 8) return false;
  return estimatedBits(clientId) >= leastBits;
}

function estimatedBits(clientId: string): number {
  const core = clientId.replaceAll(/[_.:-]/g, "");
  if (/^([0-9a-f]+|[0-9A-F]+)$/.test(core)) return core.length * 4;
  const [lower, upper, digit] = [/[a-z]/, /[A-Z]/, /[0-9]/].map((letters) => letters.test(core));
  // Letters of both cases come from base64, though a digit may be missing by chance.
  if (lower && upper) return clientId.length * 6;
  return digit && (lower || upper) ? clientId.length * Math.log2(36) : 0;
}
