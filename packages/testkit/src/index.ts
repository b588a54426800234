export { collectGarbage } from './collect-garbage.ts'
export { composeExample } from './compose-example.ts'
export { type IssuerAnswer, type IssuerDouble, type IssuerDoubleOptions, startIssuerDouble } from './issuer-double.ts'
export { launchChromium, sharedChromium } from './launch-chromium.ts'
export { type LendOptions, type LentPage, lendPage } from './lend-page.ts'
export { listenOnFreePort } from './listen-on-free-port.ts'
export { startNameServer } from './name-server.ts'
export { findProgram } from './needs/find-program.ts'
export {
  type DoubleScript,
  type ExchangeEnd,
  type OpenAiDouble,
  type RecordedModelRequest,
  startOpenAiDouble,
} from './openai-double.ts'
export { type DoubleFault, type DoubleToolCall, type DoubleTurn, eventsOfTurn } from './openai-turn.ts'
export { type OtlpDouble, type ReceivedSpan, startOtlpDouble } from './otlp-double.ts'
export {
  type CapabilityScript,
  type OwnerEndpoint,
  type OwnerEndpointOptions,
  type ReceivedCall,
  type ScriptedAnswer,
  startOwnerEndpoint,
} from './owner-endpoint.ts'
export { commitFault, compressedAnswer, type Fault as EndpointFault } from './owner-faults.ts'
export { type RedisDouble, type RedisDoubleOptions, startRedisDouble } from './redis-double.ts'
export { type ReceivedMail, type SmtpDouble, type SmtpDoubleOptions, startSmtpDouble } from './smtp-double.ts'
export { type ProgramEnd, type StartedProgram, startProgram } from './start-program.ts'
export {
  type RecordedStripeRequest,
  type StripeDouble,
  type StripeFault,
  startStripeDouble,
} from './stripe-double.ts'
export type { StripeEvent, StripeSession } from './stripe-state.ts'
