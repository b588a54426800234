import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const USUAL_PLACE = '/usr/bin/chromium'

// A browser of its own that speaks to nobody but the test’s servers.
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/**
 * Where Chromium is: `CHROMIUM_PATH`, or its usual place on Debian. Null where there is none, and tests in it are to be
 * skipped; under `CI` that is an error, because there they count.
 */
export function findChromium(env: Readonly<Record<string, string | undefined>>): string | null {
  const path = env['CHROMIUM_PATH'] ?? USUAL_PLACE
  if (existsSync(path)) return path
  if (env['CI']) throw new Error(`There is no Chromium at ${path}: install it, or set CHROMIUM_PATH.`)
  return null
}

/** Starts a headless Chromium. Closing it is the caller’s affair. */
export function launchChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, headless: true, args: ARGUMENTS })
}
