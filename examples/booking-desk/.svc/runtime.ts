import { createDeskRuntime } from '../src/desk-runtime.ts'
import { openStore } from '../src/store/open-store.ts'

// Loaded by `svc deploy` to read names and schemas, and by `svc dev`: a desk that forgets unless it is given a file.
export default createDeskRuntime(openStore(process.env.DESK_DATABASE ?? ':memory:'))
