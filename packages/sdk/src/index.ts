export type { StandardSchemaV1 } from '@standard-schema/spec'
export type { Capability, ReceiverRefusal, SvcConfigInput } from '@svc/contract'
export type { CapabilitySchema, HandlerInput, HandlerOutput } from './capability-schema.ts'
export type { Clock } from './clock.ts'
export { type CapabilityHandler, createHandler, type FailedCall, type HandlerOptions } from './create-handler.ts'
export {
  type AnyCapability,
  type CapabilityContext,
  type CapabilityDefinition,
  type CapabilityFacts,
  type CapabilityOptions,
  defineCapability,
} from './define-capability.ts'
export { defineConfig } from './define-config.ts'
export { defineRuntime, isRuntime, type Runtime } from './define-runtime.ts'
export { describeCapabilities } from './describe-capabilities.ts'
export { CapabilityDefinitionError, CapabilityError, NonceStoreFullError } from './errors.ts'
export type { FromJsonSchema, JsonSchema } from './json-schema.ts'
export {
  createMemoryNonceStore,
  type MemoryNonceStoreOptions,
  NONCE_LIFETIME_MS,
  type NonceStore,
} from './nonce-store.ts'
export {
  type Receiver,
  type SignedRequest,
  type Verification,
  verifySignature,
} from './verify-signature.ts'
