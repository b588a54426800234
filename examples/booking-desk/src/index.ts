export { createDeskRuntime } from './desk-runtime.ts'
export { type DeskOptions, startDesk } from './server.ts'
export { openStore, type Store } from './store/open-store.ts'
