const MAX_LENGTH = 200
// Devices of Windows, whatever stands behind a dot.
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]) *(?:\.|$)/i

/**
 * The fault of a generated file’s path, or null. A path is the same on every machine that the project is
 * checked out on, so what any file system understands in its own way is refused on all of them.
 */
export function filePathProblem(path: string): string | null {
  if (path === '') return 'is empty: name the file.'
  if (path.length > MAX_LENGTH) return `is longer than ${MAX_LENGTH} characters.`
  if (path.includes('\\')) return 'contains a backslash: write “/” between folders.'
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path))
    return 'is absolute: write it relative to the generator’s folder.'
  if (/[\p{Cc}\p{Cs}<>:"|?*]/u.test(path)) return 'contains a character that file names cannot have everywhere.'
  const segments = path.split('/')
  if (segments.includes('..')) return 'leads out of the generator’s folder.'
  if (segments.some((segment) => segment === '' || segment === '.')) return 'has an empty part between its slashes.'
  if (segments.some((segment) => /[. ]$/.test(segment))) return 'has a part that ends in a dot or a space.'
  if (segments.some((segment) => DEVICE.test(segment)))
    return 'has a part that names a device on Windows, such as “con”.'
  return null
}

/** The form in which two paths are compared: some file systems do not tell upper and lower case, or accents, apart. */
export function comparablePath(path: string): string {
  return path.normalize('NFC').toLowerCase()
}
