export { type CallOptions, callCapability } from './call-capability.ts'
export type { CallResult } from './call-result.ts'
export type { AsJson, CallInput, CallOutput } from './call-types.ts'
export {
  type CapabilityMock,
  type ConversationTest,
  defineTest,
  type ExpectedCall,
  type ExpectedText,
  type ScriptedCall,
  type ScriptedStep,
  type TestTurn,
  type TestTypes,
  type TurnExpectation,
} from './define-test.ts'
export {
  createFakeControlPlane,
  type Endpoint,
  type Exchange,
  type FakeCallOptions,
  type FakeControlPlane,
  type FakeControlPlaneOptions,
} from './fake-control-plane.ts'
export type { SecretRotation } from './rotating-secret.ts'
export {
  type CallFields,
  type SignCallOptions,
  type SignedCall,
  type Signer,
  type SignRequestOptions,
  signCall,
  signRequest,
} from './sign-call.ts'
