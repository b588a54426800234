import { createService } from '../src/create-service.ts'

// Loaded by `svc deploy` to read names and schemas: the service listens to nothing here.
export default createService().runtime
