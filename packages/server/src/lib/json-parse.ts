/** JSON with the key `__proto__`, which code that copies members could turn into prototype pollution. */
export class PrototypeKeyError extends SyntaxError {
  override name = 'PrototypeKeyError'
}

/** Parses JSON. Throws a SyntaxError, for the key `__proto__` a {@link PrototypeKeyError}. */
export function parseJson(text: string): unknown {
  return MAY_NAME_PROTOTYPE.test(text) ? JSON.parse(text, refusePrototype) : JSON.parse(text)
}

// A reviver costs more than parsing. An underscore may also be escaped.
const MAY_NAME_PROTOTYPE = /proto|\\u00/i

function refusePrototype(this: unknown, key: string, value: unknown): unknown {
  if (key === '__proto__') throw new PrototypeKeyError('the key “__proto__” is not accepted')
  return value
}
