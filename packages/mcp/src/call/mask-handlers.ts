/** Hides what the code of a server's own throws. It leans on the inside of both SDKs, which have no seam for that. */

import { rpcCode } from "./mask-thrown.js";

const registering = ["registerTool", "tool", "registerResource", "resource", "registerPrompt", "prompt"] as const;

type Code = (...parameters: readonly unknown[]) => unknown;
/** Makes what a caller sees of an error. */
type Mask = (error: unknown) => unknown;

/**
 * Changes what the code throws that is registered at a server from now on: an SDK shows it to the caller word for word. That code
 * is the last thing that each of these methods takes, what lists the resources of a template, what an update puts in the place of
 * these, and what is set as the handler of a request at the low-level server. The SDK sets its own there, too, which runs what
 * completes arguments, when the first such code is registered.
 */
export function maskHandlers(server: object, given: Mask): void {
  const hidden = new WeakSet<object>();
  const mask: Mask = (error) => {
    if (isObject(error) && hidden.has(error)) return error;
    const shown = given(error);
    if (isObject(shown)) hidden.add(shown);
    return shown;
  };
  const rewrite = (owner: unknown, name: string, change: (one: unknown) => unknown): void => {
    const register: unknown = isObject(owner) ? Reflect.get(owner, name) : undefined;
    if (!isObject(owner) || !isCode(register)) return;
    const registerMasked: Code = (...taken) => {
      const registered = Reflect.apply(register, owner, taken.map(change));
      maskUpdates(registered, mask);
      return registered;
    };
    Reflect.set(owner, name, registerMasked);
  };
  for (const name of registering) rewrite(server, name, (one) => maskedGiven(one, mask));
  rewrite(Reflect.get(server, "server"), "setRequestHandler", (one) => (isCode(one) ? maskedRequest(one, mask) : one));
}

function isCode(value: unknown): value is Code {
  return typeof value === "function";
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function maskedCode(code: Code, mask: Mask): Code {
  return async (...parameters) => {
    try {
      return await Reflect.apply(code, undefined, parameters);
    } catch (error) {
      throw mask(error);
    }
  };
}

/** What the SDK itself says has a code of JSON-RPC, and is shown; so is an error with such a code that an author's code throws. */
function maskedRequest(code: Code, mask: Mask): Code {
  return maskedCode(code, (error) => (rpcCode(error) === undefined ? mask(error) : error));
}

/** The same resource template, for one server: its author may register it at several. Anything else as it is. */
function maskedTemplate(value: unknown, mask: Mask): unknown {
  const callbacks: unknown = isObject(value) ? Reflect.get(value, "_callbacks") : undefined;
  const list: unknown = isObject(callbacks) ? Reflect.get(callbacks, "list") : undefined;
  if (!isObject(value) || !isCode(list)) return value;
  return Object.create(value, {
    _callbacks: { value: Object.assign({}, callbacks, { list: maskedCode(list, mask) }) },
  });
}

/** What a registration gives has a method that puts other code in the place of its own. */
function maskUpdates(registered: unknown, mask: Mask): void {
  const update: unknown = isObject(registered) ? Reflect.get(registered, "update") : undefined;
  if (!isObject(registered) || !isCode(update)) return;
  const updateMasked: Code = (updates) => {
    const taken = Object.entries(Object(updates)).map(([name, one]) => [name, maskedGiven(one, mask)]);
    return Reflect.apply(update, registered, [Object.fromEntries(taken)]);
  };
  Reflect.set(registered, "update", updateMasked);
}

function maskedGiven(given: unknown, mask: Mask): unknown {
  return isCode(given) ? maskedCode(given, mask) : maskedTemplate(given, mask);
}
