export {
  Account,
  ChangePasswordRequest,
  ConfirmTwoFactorRequest,
  PasswordResetAnswer,
  PasswordResetConfirmation,
  PasswordResetRequest,
  RecoveryCodes,
  RevokedSession,
  RevokedSessions,
  Session,
  SessionItem,
  SessionList,
  SignedOut,
  SignInRequest,
  SignUpRequest,
  StartedTwoFactor,
  StartTwoFactorRequest,
  StopTwoFactorRequest,
  TwoFactor,
} from './accounts.ts'
export { AnalyticsBucket, AnalyticsSummary } from './analytics.ts'
export {
  APPROVAL_KEY_HEADER,
  APPROVAL_REQUIRED,
  Approval,
  ApprovalAnswer,
  ApprovalDecision,
  ApprovalId,
  ApprovalList,
  ApprovalRequiredEvent,
  ApprovalStatus,
  ApprovedOutcome,
  CapabilityApproval,
  PendingApproval,
  TracedApproval,
} from './approvals.ts'
export {
  BillingUsage,
  Checkout,
  CheckoutRequest,
  ModelPrices,
  Plan,
  PlanLimits,
  PlanList,
  VerifiedCheckout,
  VerifyCheckoutRequest,
} from './billing.ts'
export { canonicalDigest, canonicalJson, Sha256Hex } from './canonical-json.ts'
export {
  CallMode,
  CapabilityAnswer,
  CapabilityCall,
  END_USER_REQUIRED,
  OUTCOME_UNKNOWN,
  PROBE_CAPABILITY,
  RECEIVER_REFUSALS,
  type ReceiverRefusal,
} from './capability-calls.ts'
export {
  changeSentence,
  compareDeployments,
  type DeploymentChange,
  type DeploymentView,
  NO_ENDPOINT_WARNING,
  removalWarnings,
} from './compare-deployments.ts'
export { SvcConfig, type SvcConfigInput, SvcSettings } from './configuration.ts'
export {
  AccountKey,
  AccountKeyList,
  CreateAccountKeyRequest,
  CreatedAccountKey,
  DEFAULT_GRACE_SECONDS,
  RevealedKey,
  RevealKeyRequest,
  RevokedKey,
  RevokeKeyRequest,
  RotatedKey,
  RotatedSecret,
  RotateKeyRequest,
  RotateSecretRequest,
  RuntimeKeyType,
} from './credentials.ts'
export {
  DeleteAccountRequest,
  DeletedAccount,
  DeletedProject,
  DeletedRuntime,
  DeleteProjectRequest,
  DeleteRuntimeRequest,
} from './deletions.ts'
export {
  Adp,
  Agent,
  Capability,
  CapabilityAction,
  Connection,
  ConnectionStatus,
  DEPLOYMENT_LIMITS,
  DeploymentDetail,
  DeploymentList,
  DeploymentListItem,
  DeploymentManifest,
  type DeploymentManifestInput,
  DeploymentSource,
  DeploymentStatus,
  DeployRequest,
  DeployResponse,
  Frozen,
  Health,
  Heartbeat,
  MANIFEST_SCHEMA_VERSION,
  PromotedDeployment,
  PromoteRequest,
  RuntimeStatus,
  TrafficCounts,
  TrafficReport,
  Website,
} from './deployments.ts'
export {
  DeviceDecision,
  DeviceLogin,
  DeviceLoginRequest,
  DevicePoll,
  DevicePollRequest,
  WaitingDevice,
} from './device-login.ts'
export {
  brokerAddress,
  buildDiscoveryManifest,
  DISCOVERY_SPEC_VERSION,
  DISCOVERY_TTL_SECONDS,
  DiscoveryCapability,
  DiscoveryManifest,
  type DiscoveryResult,
  type DiscoverySource,
  discoveryNamespace,
  toUri,
} from './discovery.ts'
export { DOCTOR_CHECKS, type DoctorCheck, DoctorReport, DoctorRequest, DoctorRow } from './doctor.ts'
export {
  CallStatus,
  CapabilityEffect,
  DEFAULT_EFFECT,
  IDEMPOTENCY_SUFFIXES,
  RECONCILE_DELAYS_MS,
  ReconcileAnswer,
  Reconciled,
  saysUnknown,
  UnknownCalls,
} from './effects.ts'
export { isBlankToken } from './end-user-token.ts'
export { EndUser, EndUsers } from './end-users.ts'
export { CallFailure, ERROR_STATUS, ErrorBody, type ErrorCode, Failure, FieldErrors } from './errors.ts'
export {
  BrokerRequest,
  CancelledExecution,
  CapabilityFailure,
  CapabilityOutput,
  CapabilityRequest,
  ExecuteRequest,
  ExecuteResponse,
  ExecutionKind,
  ExecutionList,
  ExecutionStatus,
  ExecutionSummary,
  ExecutionSurface,
  Feedback,
  FeedbackRequest,
  FinishReason,
  OwnerExecuteRequest,
  StoredFeedback,
  Trace,
  TracedCall,
  TracedStep,
  TraceList,
} from './executions.ts'
export { fieldErrorsOf } from './field-errors.ts'
export {
  BUILT_IN_GENERATORS,
  type BuiltInGenerator,
  type GeneratedFile,
  type Generator,
  type GeneratorContext,
  Generators,
  generatorProblem,
} from './generators.ts'
export { ID_PREFIXES, type IdKind, RuntimeId, timeOfId } from './ids.ts'
export { isJsonObject, JsonObject, Timestamp } from './json.ts'
export { type JsonSchemaCheck, jsonSchemaCheck } from './json-schema.ts'
export { abbreviateKey, KEY_PREFIXES, type KeyKind, keyChecksum, keyKindOf } from './keys.ts'
export {
  AcceptInvitationRequest,
  ChangeMemberRequest,
  CreatedInvitation,
  Invitation,
  InvitationList,
  InviteRequest,
  LeaveRequest,
  Member,
  MemberList,
  OpenInvitation,
  ReadInvitationRequest,
  RemovedMember,
  RemoveMemberRequest,
  RevokedInvitation,
} from './members.ts'
export {
  Message,
  PublicTranscript,
  shapeOf,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  Transcript,
  TurnShape,
} from './messages.ts'
export {
  CapabilityName,
  capabilityNameProblem,
  Namespace,
  namespaceProblem,
  repairCapabilityName,
  SemVer,
} from './names.ts'
export { PREVIEW_LIMITS, Preview, previewHash } from './previews.ts'
export { CreateProjectRequest, Project, ProjectList, UpdateProjectRequest } from './projects.ts'
export {
  isSafeUrl,
  RESERVED_OUTPUT_LIMITS,
  type ReservedAction,
  type ReservedCard,
  type ReservedOutput,
} from './reserved-output.ts'
export { reservedOutputFaults } from './reserved-output-faults.ts'
export { Role } from './roles.ts'
export {
  AllowedOrigins,
  AllowedOriginsRequest,
  CreatedRuntime,
  RegisterRuntimeRequest,
  RuntimeDetail,
  RuntimeList,
  RuntimeListItem,
  Tier,
  UpdatedRuntime,
} from './runtimes.ts'
export { ServiceHealth, ServiceInfo } from './service.ts'
export {
  bodyDigest,
  computeSignature,
  createSigner,
  EXECUTION_ID_HEADER,
  SIGNATURE_HEADERS,
  type SigningParts,
  type SignParts,
  signingString,
  TIMESTAMP_TOLERANCE_MS,
} from './signing.ts'
export { LAST_EVENT_ID_HEADER, RESUME_KEY_HEADER, StreamEvent } from './stream-events.ts'
export { Endpoint, endpointProblem, isLocalHost, Origin, originProblem, portProblem, WebUrl } from './web-addresses.ts'
export {
  AccountEvent,
  AccountEventList,
  CreatedWebhook,
  CreateWebhookRequest,
  DeliveryStatus,
  Webhook,
  WebhookDelivery,
  WebhookDeliveryList,
  WebhookEvent,
  WebhookList,
  WebhookPayload,
} from './webhooks.ts'
export { WidgetSettings } from './widget.ts'
