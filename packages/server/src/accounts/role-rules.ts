import type { Role } from '@svc/contract'

const RANKS: Readonly<Record<Role, number>> = { viewer: 1, developer: 2, owner: 3 }

/** The least role for each operation of the owner plane, by its `operationId`. What stands here alone is allowed. */
const LEAST_ROLES: Readonly<Record<string, Role>> = {
  // Oneself: who one is, and how one signs in. Of keys, one's own.
  getAccount: 'viewer',
  changePassword: 'viewer',
  listSessions: 'viewer',
  revokeSession: 'viewer',
  revokeOtherSessions: 'viewer',
  getTwoFactor: 'viewer',
  startTwoFactor: 'viewer',
  confirmTwoFactor: 'viewer',
  stopTwoFactor: 'viewer',
  getWaitingDevice: 'viewer',
  answerDevice: 'viewer',
  listAccountKeys: 'viewer',
  revokeAccountKey: 'viewer',
  leaveAccount: 'viewer',

  // Reads that show no secret.
  listMembers: 'viewer',
  listRuntimes: 'viewer',
  getRuntime: 'viewer',
  listDeployments: 'viewer',
  getDeployment: 'viewer',
  getTraffic: 'viewer',
  listExecutions: 'viewer',
  getExecution: 'viewer',
  listApprovals: 'viewer',
  getApprovalAsOwner: 'viewer',
  listTraces: 'viewer',
  getTrace: 'viewer',
  listProjects: 'viewer',
  getProject: 'viewer',
  getAnalyticsSummary: 'viewer',
  listWebhooks: 'viewer',
  getWebhook: 'viewer',
  listWebhookDeliveries: 'viewer',
  listEvents: 'viewer',
  listPlans: 'viewer',
  getUsage: 'viewer',

  // Work on runtimes, their secrets included.
  registerRuntime: 'developer',
  deleteRuntime: 'developer',
  setAllowedOrigins: 'developer',
  examineRuntime: 'developer',
  promoteRuntimeDeployment: 'developer',
  revealKey: 'developer',
  rotateKey: 'developer',
  revokeKey: 'developer',
  rotateSecret: 'developer',
  executeAsOwner: 'developer',
  decideApprovalAsOwner: 'developer',
  createProject: 'developer',
  updateProject: 'developer',
  deleteProject: 'developer',
  createWebhook: 'developer',
  deleteWebhook: 'developer',
  redeliverWebhookEvent: 'developer',

  // The account itself, who is in it, and what it pays.
  changeMember: 'owner',
  removeMember: 'owner',
  listInvitations: 'owner',
  inviteMember: 'owner',
  revokeInvitation: 'owner',
  createAccountKey: 'owner',
  startCheckout: 'owner',
  verifyCheckout: 'owner',
  deleteAccount: 'owner',
}

/** The least role that an operation asks for; undefined where nobody may carry it out. */
export function leastRole(operationId: string): Role | undefined {
  return Object.hasOwn(LEAST_ROLES, operationId) ? LEAST_ROLES[operationId] : undefined
}

/** Whether a role allows what another one is the least role for. */
export function includesRole(role: Role, least: Role): boolean {
  return RANKS[role] >= RANKS[least]
}
