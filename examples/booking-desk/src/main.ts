import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runExample } from '@svc/example-kit'
import { startDesk } from './server.ts'

await runExample(
  {
    name: 'Pier House',
    project: fileURLToPath(new URL('../', import.meta.url)),
    owner: { email: 'owner@pier-house.example.com', password: 'pier-house-demo' },
    start: ({ folder, ...place }) => startDesk({ ...place, databaseFile: join(folder, 'desk.sqlite') }),
    lookAt: ({ site }) => ({ 'the booking desk': `${site}\nfind a room, book it, approve or decline` }),
  },
  process,
)
