/** Hides what the code of a server's own throws. It leans on the inside of both SDKs, which have no seam for that. */

const registering = ["registerTool", "tool", "registerResource", "resource", "registerPrompt", "prompt"] as const;

type Code = (...parameters: readonly unknown[]) => unknown;
/** Makes what a caller sees of an error. */
type Mask = (error: unknown) => unknown;

/**
 * Changes what the code throws that is registered at a server from now on: an SDK shows it to the caller word for word. That code
 * is the last thing that each of these methods takes, what lists the resources of a template, and what completes arguments.
 */
export function maskHandlers(server: object, mask: Mask): void {
  for (const name of registering) {
    const register: unknown = Reflect.get(server, name);
    if (!isCode(register)) continue;
    const registerMasked: Code = (...given) => {
      const taken = given.map((one) => (isCode(one) ? maskedCode(one, mask) : maskedTemplate(one, mask)));
      const registered = Reflect.apply(register, server, taken);
      maskCompletions(server, mask);
      return registered;
    };
    Reflect.set(server, name, registerMasked);
  }
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

/** The same resource template, for one server: its author may register it at several. Anything else as it is. */
function maskedTemplate(value: unknown, mask: Mask): unknown {
  const callbacks: unknown = isObject(value) ? Reflect.get(value, "_callbacks") : undefined;
  const list: unknown = isObject(callbacks) ? Reflect.get(callbacks, "list") : undefined;
  if (!isObject(value) || !isCode(list)) return value;
  return Object.create(value, {
    _callbacks: { value: Object.assign({}, callbacks, { list: maskedCode(list, mask) }) },
  });
}

const completion = "completion/complete";
const masked = new WeakSet<object>();

/**
 * What completes an argument is part of a prompt's schema, which cannot be changed: it is masked where the request is handled. What
 * the SDK itself says there has a code of JSON-RPC, and is shown; so is an error with such a code that an author's function throws.
 */
function maskCompletions(server: object, mask: Mask): void {
  const handlers: unknown = Reflect.get(Object(Reflect.get(server, "server")), "_requestHandlers");
  if (!(handlers instanceof Map)) return;
  const handle: unknown = Map.prototype.get.call(handlers, completion);
  if (!isCode(handle) || masked.has(handle)) return;
  const hasRpcCode = (error: unknown) => isObject(error) && typeof Reflect.get(error, "code") === "number";
  const maskedHandle = maskedCode(handle, (error) => (hasRpcCode(error) ? error : mask(error)));
  masked.add(maskedHandle);
  handlers.set(completion, maskedHandle);
}
