/** A value as indented JSON. JSON leaves the upper control characters as they are, and terminals obey them: they are escaped. */
export function printableJson(value: unknown): string {
  const text = JSON.stringify(value, null, 2) ?? 'null'
  return text.replace(/[\u007f-\u009f]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`)
}
