export { ClientError, type ClientErrorKind } from './client/client-error.ts'
export { type Clock, systemClock } from './client/clock.ts'
export type { ExecutionApi } from './client/execution-api.ts'
export {
  type CapabilityResult,
  createExecutionClient,
  type EndUserTokenSource,
  type ExecutionClient,
  type ExecutionClientOptions,
  type ExecutionStream,
} from './client/execution-client.ts'
export { type PollEnd, pollCapability } from './client/poll-capability.ts'
export type { ExecutionRun } from './client/resumed-events.ts'
export type { Visibility } from './client/visibility.ts'
export { type Conversation, createConversation } from './conversation/conversation.ts'
export type { ConversationOptions } from './conversation/conversation-options.ts'
export { isDemo, withoutDemoLine } from './conversation/demo-line.ts'
export type { Problem, ProblemKind } from './conversation/problem.ts'
export { safeText } from './conversation/safe-text.ts'
export { createUrlCheck, namesHost, type UrlCheck } from './conversation/safe-url.ts'
export type { SignInRequest } from './conversation/sign-in.ts'
export type {
  AnswerExecution,
  Approval,
  ApprovalState,
  AssistantTurn,
  Block,
  CapabilityBlock,
  ConversationSnapshot,
  Output,
  SignIn,
  TextBlock,
  Turn,
  UserTurn,
  Wait,
} from './conversation/snapshot.ts'
export type { ConversationStorage } from './conversation/stored-conversation.ts'
export {
  type Action,
  type Pending,
  type ProductCard,
  readSvcOutput,
  type SvcOutput,
} from './conversation/svc-output.ts'
export { webStorage } from './conversation/web-storage.ts'
export { type RenderableOutput, type RenderOptions, renderOutput } from './element/render-output.ts'
export type { MarkdownNode } from './markdown/markdown-node.ts'
export { parseMarkdown } from './markdown/parse-markdown.ts'
