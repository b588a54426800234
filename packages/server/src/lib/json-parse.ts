/** JSON that names an object's prototype: no honest text does, and code after us may copy members without care. */
export class PrototypeKeyError extends SyntaxError {
  override name = 'PrototypeKeyError'
}

/** What JSON text says. Throws SyntaxError where it says nothing, or {@link PrototypeKeyError}, which is one too. */
export function parseJson(text: string): unknown {
  return MAY_NAME_PROTOTYPE.test(text) ? JSON.parse(text, refusePrototype) : JSON.parse(text)
}

// Walking a value costs more than parsing it; an underscore may also come as an escape.
const MAY_NAME_PROTOTYPE = /proto|\\u00/i

function refusePrototype(this: unknown, key: string, value: unknown): unknown {
  if (key === '__proto__') throw new PrototypeKeyError('the key “__proto__” is not accepted')
  return value
}
