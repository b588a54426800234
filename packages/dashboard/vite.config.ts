import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defaultClientConditions, defineConfig, type Plugin } from 'vite'

const OUT = 'dist/app'

// The server sends these as they are to browsers that take them, and compresses nothing itself.
function compress(): Plugin {
  return {
    name: 'compress',
    apply: 'build',
    closeBundle() {
      const folder = join(import.meta.dirname, OUT)
      for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
        if (!/\.(js|css|html|svg)$/.test(name)) continue
        const content = readFileSync(join(folder, name))
        writeFileSync(join(folder, `${name}.gz`), gzipSync(content, { level: 9 }))
        writeFileSync(join(folder, `${name}.br`), brotliCompressSync(content))
      }
    },
  }
}

export default defineConfig({
  root: import.meta.dirname,
  base: '/dashboard/',
  // Packages of ours as they are written, so that nothing must be built before.
  resolve: { conditions: ['@svc/source', ...defaultClientConditions] },
  plugins: [react(), tailwindcss(), compress()],
  build: {
    outDir: OUT,
    emptyOutDir: true,
    manifest: true,
    target: ['chrome123', 'firefox125', 'safari17.5'],
    // A policy without “unsafe-inline” lets no data: script in, and small files are better hashed than inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: { proxy: { '/v1': 'http://127.0.0.1:8787', '/openapi.json': 'http://127.0.0.1:8787' } },
})
