import { execFile } from 'node:child_process'

const TIMEOUT_MS = 5_000
// Of a repository in which everything changed, each path is a line.
const MAX_BYTES = 64 * 1024 * 1024

/** What git prints about the repository of a folder; null where it fails, is missing or takes too long. No shell is started. */
export function runGit(args: readonly string[], folder: string): Promise<string | null> {
  const options = { cwd: folder, timeout: TIMEOUT_MS, maxBuffer: MAX_BYTES, windowsHide: true }
  return new Promise((resolve) => {
    try {
      const git = execFile('git', args, options, (error, stdout) => resolve(error ? null : stdout))
      git.stdin?.end()
    } catch {
      resolve(null)
    }
  })
}
