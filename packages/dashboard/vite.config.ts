import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defaultClientConditions, defineConfig, type Plugin } from 'vite'
import { compressBeside } from '../../scripts/compress.js'

const OUT = 'dist/app'

// In development the control plane is a server of its own, which lets pages of its own origin alone change something.
const SERVER = `http://127.0.0.1:${process.env['PORT'] ?? 8787}`
const toServer = { target: SERVER, changeOrigin: true, headers: { origin: SERVER } }

function compress(): Plugin {
  return {
    name: 'compress',
    apply: 'build',
    closeBundle() {
      const folder = join(import.meta.dirname, OUT)
      for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
        if (/\.(js|css|html|svg)$/.test(name)) compressBeside(join(folder, name))
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
  server: { proxy: { '/v1': toServer, '/openapi.json': toServer } },
})
