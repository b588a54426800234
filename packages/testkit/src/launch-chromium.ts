import type { Browser } from 'playwright-core'

// A browser of its own that speaks to nobody but the test’s servers.
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-software-rasterizer',
  '--in-process-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // To optimize the scripts of a page takes longer than a test uses them.
  '--js-flags=--no-turbofan --no-maglev',
]

/** Starts a headless Chromium, which the caller closes. */
export async function launchChromium(executablePath: string): Promise<Browser> {
  // Most who import these tools need no browser: the library takes half a second of processor time.
  const { chromium } = await import('playwright-core')
  return chromium.launch({ executablePath, headless: true, args: ARGUMENTS })
}

let shared: Promise<Browser> | undefined

/**
 * The headless Chromium of this process, which ends with it. Starting one takes a second; tests keep apart by contexts of
 * their own, or by pages that are reset between them.
 */
export async function sharedChromium(executablePath: string): Promise<Browser> {
  shared ??= launchChromium(executablePath)
  if ((await shared).isConnected()) return shared
  shared = launchChromium(executablePath)
  return shared
}
