/** Of names that a user agent holds several of, the first in this list counts. */
const PROGRAMS = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\b(OPR|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|Chromium|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/^curl\//, 'curl'],
  [/^(node|undici)\b/i, 'Node.js'],
  [/^python/i, 'Python'],
] as const
const SYSTEMS = [
  [/\b(iPhone|iPod)\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
] as const

/** “Chrome on macOS” of a `User-Agent`; null where it names nothing that is known. None of its own text is kept. */
export function deviceLabel(userAgent: string | undefined): string | null {
  const text = (userAgent ?? '').slice(0, 512)
  const nameIn = (known: readonly (readonly [RegExp, string])[]) => known.find(([pattern]) => pattern.test(text))?.[1]
  const [program, system] = [nameIn(PROGRAMS), nameIn(SYSTEMS)]
  if (program === undefined) return system ?? null
  return system === undefined ? program : `${program} on ${system}`
}
