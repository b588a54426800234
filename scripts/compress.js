import { readFileSync, writeFileSync } from 'node:fs'
import { brotliCompressSync, gzipSync } from 'node:zlib'

/**
 * Writes a file again beside itself, as `.gz` and `.br`: the server sends these as they are to browsers that take them,
 * and compresses nothing itself.
 * @param {string} file
 * @returns {{ gzipBytes: number }}
 */
export function compressBeside(file) {
  const content = readFileSync(file)
  const gzip = gzipSync(content, { level: 9 })
  writeFileSync(`${file}.gz`, gzip)
  writeFileSync(`${file}.br`, brotliCompressSync(content))
  return { gzipBytes: gzip.length }
}
