/** Whether only the user of this machine can have sent a request; where not, why: the end of a sentence. */
export type Locality = { readonly local: true } | { readonly local: false; readonly reason: string };

/** The request came from the user of this machine. */
export const local: Locality = { local: true };

const unknown: Locality = { local: false, reason: "the server was not given that fact by what serves it" };

/** Beside the requests, not in them: nothing that a client sends can be taken for it. */
const localities = new WeakMap<object, Locality>();

/** Notes what is known of a request, under the object that the SDKs pass on to handlers. */
export function noteLocality(request: object, locality: Locality | undefined): void {
  if (locality !== undefined) localities.set(request, locality);
}

/** Reads what was noted of a request; a request of which nothing is known is not local. */
export function localityOf(request: object | undefined): Locality {
  return (request === undefined ? undefined : localities.get(request)) ?? unknown;
}
