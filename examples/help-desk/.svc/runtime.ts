import { createHelpRuntime } from '../src/help-desk.ts'
import { openStore } from '../src/store/open-store.ts'

// Loaded by `svc deploy` to read names and schemas, and by `svc dev`: a help desk that forgets unless it is given a file.
export default createHelpRuntime(openStore(process.env.HELP_DESK_DATABASE ?? ':memory:'))
