import { fileURLToPath } from 'node:url'
import type { NextConfig } from 'next'

const config: NextConfig = {
  // Native code is loaded as it is.
  serverExternalPackages: ['better-sqlite3'],
  // The packages that this example uses are other folders of the same repository.
  turbopack: { root: fileURLToPath(new URL('../../', import.meta.url)) },
  typescript: { ignoreBuildErrors: true },
}

export default config
