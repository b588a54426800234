export type {
  Capability,
  CapabilityEffect,
  EndUser,
  GeneratedFile,
  Generator,
  GeneratorContext,
  Preview,
  ReceiverRefusal,
  ReservedOutput,
  SvcConfigInput,
} from '@svc/contract'
export type { FailedCall } from './calls/answer-call.ts'
export { type CapabilityHandler, createHandler, type HandlerOptions } from './calls/create-handler.ts'
export type { PermissionsOf } from './calls/lacking-permissions.ts'
export {
  type Receiver,
  type SignedRequest,
  type Verification,
  verifySignature,
} from './calls/verify-signature.ts'
export type { CapabilitySchema, HandlerInput, HandlerOutput } from './capabilities/capability-schema.ts'
export {
  type AnyCapability,
  type CapabilityContext,
  type CapabilityDefinition,
  type CapabilityFacts,
  type CapabilityOptions,
  defineCapability,
} from './capabilities/define-capability.ts'
export { defineRuntime, isRuntime, type Runtime, type RuntimeOptions } from './capabilities/define-runtime.ts'
export { describeCapabilities } from './capabilities/describe-capabilities.ts'
export type { FromJsonSchema } from './capabilities/from-json-schema.ts'
export type { JsonSchema } from './capabilities/json-schema.ts'
export type { StandardSchemaV1 } from './capabilities/standard-schema.ts'
export type { Clock } from './clock.ts'
export { defineConfig, defineGenerator } from './define-config.ts'
export { EFFECT_LIFETIME_MS, type EffectBounds, type EffectStore } from './effects/effect-store.ts'
export { createMemoryEffectStore, type MemoryEffectStoreOptions } from './effects/memory-effect-store.ts'
export {
  createRedisEffectStore,
  type RedisEffectClient,
  type RedisEffectStoreOptions,
} from './effects/redis-effect-store.ts'
export { createSqlEffectStore, EFFECT_TABLE_SQL, type SqlEffectStoreOptions } from './effects/sql-effect-store.ts'
export {
  CapabilityDefinitionError,
  CapabilityError,
  EffectStoreFullError,
  type FailureCode,
  NonceStoreFullError,
} from './errors.ts'
export { createMemoryNonceStore, type MemoryNonceStoreOptions } from './nonces/memory-nonce-store.ts'
export { NONCE_LIFETIME_MS, type NonceStore } from './nonces/nonce-store.ts'
export { createRedisNonceStore, type RedisClient, type RedisNonceStoreOptions } from './nonces/redis-nonce-store.ts'
export { createSqlNonceStore, NONCE_TABLE_SQL, type SqlNonceStoreOptions } from './nonces/sql-nonce-store.ts'
export type { SqlDatabase, SqlDialect } from './nonces/sql-runner.ts'
