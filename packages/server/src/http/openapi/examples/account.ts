import {
  ACCOUNT_KEY,
  ACCOUNT_KEY_PREFIX,
  CHECKOUT_ID,
  DEPLOYED_AT,
  type Examples,
  LATER,
  OWNER_ID,
  PROJECT_ID,
  REGISTERED_AT,
  RUNTIME_ID,
} from './common.ts'

const ACCOUNT = { ownerId: OWNER_ID, email: 'ada@shop.example.com', tier: 'free' as const, createdAt: REGISTERED_AT }
const KEY = {
  keyId: 'key_1BnTtEXAMPLEkey01',
  name: 'Reports',
  prefix: ACCOUNT_KEY_PREFIX,
  createdAt: REGISTERED_AT,
  revokedAt: null,
}
const PROJECT = {
  projectId: PROJECT_ID,
  name: 'Shops',
  description: 'Everything that sells.',
  isDefault: false,
  runtimeCount: 1,
  createdAt: REGISTERED_AT,
  updatedAt: REGISTERED_AT,
}
const TALLY = { executions: 12, completed: 11, failed: 1, capabilityCalls: 19, inputTokens: 7_332, outputTokens: 696 }
const QUIET = { executions: 0, completed: 0, failed: 0, capabilityCalls: 0, inputTokens: 0, outputTokens: 0 }

/** The account: who it is, what it groups, what it used and pays. */
export const ACCOUNT_EXAMPLES = {
  SignUpRequest: { email: 'ada@shop.example.com', password: 'EXAMPLE-long-password' },
  SignInRequest: { email: 'ada@shop.example.com', password: 'EXAMPLE-long-password' },
  ChangePasswordRequest: { currentPassword: 'EXAMPLE-long-password', newPassword: 'EXAMPLE-other-password' },
  Account: ACCOUNT,
  Session: { account: ACCOUNT, token: 'EXAMPLE-session-token', expiresAt: '2026-03-09T09:12:44.108Z' },
  SignedOut: { status: 'ok' },
  CreateAccountKeyRequest: { name: 'Reports' },
  AccountKey: { ...KEY, revokedAt: LATER },
  CreatedAccountKey: { ...KEY, key: ACCOUNT_KEY },
  AccountKeyList: { keys: [KEY], nextCursor: null },
  CreateProjectRequest: { name: 'Shops', description: 'Everything that sells.' },
  UpdateProjectRequest: { name: 'All shops' },
  Project: PROJECT,
  ProjectList: { projects: [PROJECT], nextCursor: null },
  AnalyticsSummary: {
    range: { from: '2026-03-03T00:00:00.000Z', to: '2026-03-05T00:00:00.000Z', bucket: 'day', clamped: false },
    totals: { ...TALLY, totalTokens: 8_028, avgDurationMs: 2_310.5, p50DurationMs: 2_050, p95DurationMs: 4_410 },
    series: [
      { at: '2026-03-03T00:00:00.000Z', ...QUIET, p50DurationMs: null, p95DurationMs: null },
      { at: '2026-03-04T00:00:00.000Z', ...TALLY, p50DurationMs: 2_050, p95DurationMs: 4_410 },
    ],
    capabilities: [{ capability: 'find-shoes', calls: 19, failed: 1, p50DurationMs: 90, p95DurationMs: 180 }],
    runtimes: [
      {
        runtimeId: RUNTIME_ID,
        executions: 12,
        failed: 1,
        totalTokens: 8_028,
        p50DurationMs: 2_050,
        p95DurationMs: 4_410,
      },
    ],
  },
  PlanList: {
    plans: [
      {
        tier: 'free',
        name: 'Free',
        price: { amount: 0, currency: 'usd', interval: 'month' },
        limits: {
          runtimes: 1,
          executionsPerHour: 100,
          executionsBurst: 200,
          anonymousPerHour: 25,
          anonymousBurst: 50,
          requestsPerMinute: 60,
          analyticsDays: 7,
          retentionDays: 7,
          storedBytes: 200_000_000,
        },
      },
    ],
    current: 'free',
  },
  BillingUsage: {
    tier: 'free',
    periodStart: '2026-03-04T16:00:00.000Z',
    periodEnd: '2026-03-04T17:00:00.000Z',
    executions: { used: 12, available: 188, perHour: 100, burst: 200 },
    anonymous: { used: 2, available: 48, perHour: 25, burst: 50 },
    capabilityCalls: 19,
    inputTokens: 7_332,
    outputTokens: 696,
    totalTokens: 8_028,
    storedBytes: { used: 48_210, limit: 200_000_000 },
    warnings: [],
  },
  CheckoutRequest: {
    tier: 'pro',
    successUrl: 'https://shop.example.com/paid',
    cancelUrl: 'https://shop.example.com/plans',
  },
  Checkout: {
    checkoutId: CHECKOUT_ID,
    url: `https://svc.example.com/v1/billing/test-checkout/${CHECKOUT_ID}`,
    provider: 'test',
  },
  VerifyCheckoutRequest: { checkoutId: CHECKOUT_ID },
  VerifiedCheckout: { checkoutId: CHECKOUT_ID, status: 'paid', tier: 'pro' },
  ServiceInfo: { service: 'svc', version: '0.1.0' },
  ServiceHealth: { status: 'ok', version: '0.1.0', uptime: 86_400.25, timestamp: DEPLOYED_AT },
} satisfies Examples
