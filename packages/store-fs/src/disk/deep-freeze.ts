/** Makes a value that was just parsed safe to be given out more than once. */
export function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const key in value) {
    const inner = value[key];
    if (typeof inner === "object") deepFreeze(inner);
  }
  return Object.freeze(value);
}
