export { defineConfig, defineGenerator } from '@svc/sdk'
