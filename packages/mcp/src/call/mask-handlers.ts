/** Hides what the code of a server's own throws. It leans on the inside of both SDKs, which have no seam for that. */

const registering = ["registerTool", "tool", "registerResource", "resource", "registerPrompt", "prompt"] as const;

type Code = (...parameters: readonly unknown[]) => unknown;
/** Makes what a caller sees of an error. */
type Mask = (error: unknown) => unknown;

/**
 * Changes what the code throws that is registered at a server from now on: an SDK shows it to the caller word for word. That code
 * is the last thing that each of these methods takes, what lists the resources of a template, what completes arguments, the three
 * functions of a tool of the SDK's own tasks, what an update puts in the place of these, and what is set as the handler of
 * a request at the low-level server.
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
      maskCompletions(server, mask);
      maskUpdates(registered, server, mask);
      return registered;
    };
    Reflect.set(owner, name, registerMasked);
  };
  for (const name of registering) rewrite(server, name, (one) => maskedGiven(one, mask));
  rewrite(tasksOf(server), "registerToolTask", (one) => maskedFunctions(one, mask));
  rewrite(Reflect.get(server, "server"), "setRequestHandler", (one) => (isCode(one) ? maskedRequest(one, mask) : one));
}

/** Where SDK 1.x registers tools of its own tasks. */
function tasksOf(server: object): unknown {
  const experimental: unknown = Reflect.get(server, "experimental");
  return isObject(experimental) ? Reflect.get(experimental, "tasks") : undefined;
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
  return maskedCode(code, (error) => (hasRpcCode(error) ? error : mask(error)));
}

function hasRpcCode(error: unknown): boolean {
  const code: unknown = isObject(error) ? Reflect.get(error, "code") : undefined;
  return typeof code === "number" && code >= -32_768 && code <= -32_000;
}

/** The functions of a task's handler; what its configuration has of them, as schemas, stays. */
function maskedFunctions(value: unknown, mask: Mask): unknown {
  if (!isObject(value) || !isCode(Reflect.get(value, "createTask"))) return value;
  const names = ["createTask", "getTask", "getTaskResult"];
  const masked = names.flatMap((name) => {
    const code: unknown = Reflect.get(value, name);
    return isCode(code) ? [[name, maskedCode((...given) => Reflect.apply(code, value, given), mask)] as const] : [];
  });
  return { ...value, ...Object.fromEntries(masked) };
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
function maskUpdates(registered: unknown, server: object, mask: Mask): void {
  const update: unknown = isObject(registered) ? Reflect.get(registered, "update") : undefined;
  if (!isObject(registered) || !isCode(update)) return;
  const updateMasked: Code = (updates) => {
    const taken = Object.entries(Object(updates)).map(([name, one]) => [name, maskedGiven(one, mask)]);
    const updated = Reflect.apply(update, registered, [Object.fromEntries(taken)]);
    maskCompletions(server, mask);
    return updated;
  };
  Reflect.set(registered, "update", updateMasked);
}

function maskedGiven(given: unknown, mask: Mask): unknown {
  return isCode(given) ? maskedCode(given, mask) : maskedTemplate(maskedFunctions(given, mask), mask);
}

const completion = "completion/complete";
const maskedHandlers = new WeakSet<object>();

/**
 * What completes an argument is part of a prompt's schema, which cannot be changed: it is masked where the request is handled.
 */
function maskCompletions(server: object, mask: Mask): void {
  const handlers: unknown = Reflect.get(Object(Reflect.get(server, "server")), "_requestHandlers");
  if (!(handlers instanceof Map)) return;
  const handle: unknown = Map.prototype.get.call(handlers, completion);
  if (!isCode(handle) || maskedHandlers.has(handle)) return;
  const maskedHandle = maskedRequest(handle, mask);
  maskedHandlers.add(maskedHandle);
  handlers.set(completion, maskedHandle);
}
