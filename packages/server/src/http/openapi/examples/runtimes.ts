import {
  COMPLETED_AT,
  DEPLOY_KEY,
  DEPLOY_KEY_PREFIX,
  DEPLOYED_AT,
  type Examples,
  LATER,
  NEXT_CURSOR,
  PROJECT_ID,
  PUBLIC_KEY,
  PUBLIC_KEY_PREFIX,
  REGISTERED_AT,
  RUNTIME_ID,
  SECRET,
} from './common.ts'

const INPUT_SCHEMA = {
  type: 'object',
  properties: { query: { type: 'string' }, maxPrice: { type: 'number' } },
  required: ['query'],
  additionalProperties: false,
}
const OUTPUT_SCHEMA = { type: 'object', properties: { shoes: { type: 'array', items: { type: 'object' } } } }
const DESCRIPTION = 'Finds shoes by words and price.'
const WEBSITE = { name: 'Shoe Shop', url: 'https://shop.example.com', contact: 'help@shop.example.com' }
const ADP = { namespace: 'com.example.shop' }

const REGISTERED = {
  runtimeId: RUNTIME_ID,
  projectId: PROJECT_ID,
  tier: 'free',
  deployKeyPrefix: DEPLOY_KEY_PREFIX,
  publicKeyPrefix: PUBLIC_KEY_PREFIX,
} as const

const LISTED = {
  runtimeId: RUNTIME_ID,
  name: 'Shoe Shop',
  version: '1.4.0',
  projectId: PROJECT_ID,
  endpoint: 'https://shop.example.com/svc',
  connection: { status: 'online', transport: 'http' },
  health: 'healthy',
  deployment: { version: 7, deployedAt: DEPLOYED_AT },
  capabilityCount: 1,
  createdAt: REGISTERED_AT,
  updatedAt: DEPLOYED_AT,
} as const

const MANIFEST = {
  schemaVersion: 2 as const,
  capabilities: [
    {
      name: 'find-shoes',
      version: '1.2.0',
      description: DESCRIPTION,
      requiresEndUser: false,
      actions: [{ name: 'find-shoes', inputSchema: INPUT_SCHEMA, outputSchema: OUTPUT_SCHEMA }],
    },
  ],
  runtime: { sdkVersion: '0.1.0' },
  endpoint: 'https://shop.example.com/svc',
  website: WEBSITE,
  adp: ADP,
  agent: { instructions: 'You help the customers of a shoe shop. Prices are in euros.' },
  metadata: { cliVersion: '0.1.0' },
}

const DEPLOYED = { version: 7, status: 'active', deployedAt: DEPLOYED_AT, capabilityCount: 1 } as const

/** Runtimes, their keys, and what they deploy and publish. */
export const RUNTIME_EXAMPLES = {
  RegisterRuntimeRequest: {
    runtimeId: RUNTIME_ID,
    name: 'Shoe Shop',
    version: '1.4.0',
    endpoint: 'https://shop.example.com/svc',
  },
  CreatedRuntime: { ...REGISTERED, secret: SECRET, deployKey: DEPLOY_KEY, publicKey: PUBLIC_KEY },
  UpdatedRuntime: REGISTERED,
  RuntimeList: { runtimes: [LISTED], nextCursor: NEXT_CURSOR },
  RuntimeDetail: {
    ...LISTED,
    tier: 'free',
    capabilities: [
      {
        name: 'find-shoes',
        version: '1.2.0',
        description: DESCRIPTION,
        requiresEndUser: false,
        deprecated: false,
        hasInputSchema: true,
      },
    ],
    allowedOrigins: ['https://shop.example.com'],
    deployKeyPrefix: DEPLOY_KEY_PREFIX,
    publicKeyPrefix: PUBLIC_KEY_PREFIX,
    previousDeployKeyExpiresAt: LATER,
    previousPublicKeyExpiresAt: null,
    previousSecretExpiresAt: null,
    lastSeenAt: COMPLETED_AT,
    website: WEBSITE,
    adp: ADP,
  },
  AllowedOriginsRequest: { origins: ['https://shop.example.com'] },
  AllowedOrigins: { runtimeId: RUNTIME_ID, allowedOrigins: ['https://shop.example.com'] },
  RevealKeyRequest: { type: 'deploy' },
  RevealedKey: { type: 'deploy', key: DEPLOY_KEY, prefix: DEPLOY_KEY_PREFIX },
  RotateKeyRequest: { type: 'deploy', graceSeconds: 3600 },
  RotatedKey: { type: 'deploy', key: DEPLOY_KEY, prefix: DEPLOY_KEY_PREFIX, previousKeyExpiresAt: LATER },
  RevokeKeyRequest: { type: 'public' },
  RevokedKey: { type: 'public', revokedAt: COMPLETED_AT },
  RotateSecretRequest: { graceSeconds: 86_400 },
  RotatedSecret: { secret: SECRET, previousSecretExpiresAt: LATER },
  DeployRequest: { manifest: MANIFEST },
  DeploymentList: {
    deployments: [DEPLOYED, { ...DEPLOYED, version: 6, status: 'superseded', deployedAt: REGISTERED_AT }],
    nextCursor: null,
  },
  DeploymentDetail: { ...DEPLOYED, manifest: MANIFEST },
  DeployResponse: {
    version: 7,
    status: 'active',
    capabilities: [{ name: 'find-shoes', hasInputSchema: true }],
    warnings: [],
  },
  RuntimeStatus: {
    runtimeId: RUNTIME_ID,
    name: 'Shoe Shop',
    baseUrl: 'https://svc.example.com',
    deployment: { version: 7, status: 'active', deployedAt: DEPLOYED_AT },
    capabilities: ['find-shoes'],
    deprecated: [],
    connection: { status: 'online', transport: 'http' },
    health: 'healthy',
    provider: { name: 'demo', model: 'rules' },
  },
  Heartbeat: { status: 'ok', lastSeenAt: COMPLETED_AT },
  DiscoveryManifest: {
    specVersion: '0.3.0',
    id: 'com.example.shop',
    name: 'Shoe Shop',
    provider: WEBSITE,
    capabilities: [
      {
        name: 'com.example.shop.find-shoes',
        invocationName: 'find-shoes',
        version: '1.2.0',
        description: DESCRIPTION,
        inputSchema: INPUT_SCHEMA,
        outputSchema: OUTPUT_SCHEMA,
        endpoint: {
          transport: 'http',
          address: `https://svc.example.com/v1/capabilities/${RUNTIME_ID}/find-shoes`,
          auth: 'none',
        },
      },
    ],
    discovery: { cacheTtlSeconds: 300 },
    lastUpdated: DEPLOYED_AT,
  },
} satisfies Examples
