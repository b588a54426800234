export { createService, type Service, serveCapabilities } from './create-service.ts'
