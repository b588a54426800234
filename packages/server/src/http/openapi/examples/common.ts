import type * as contract from '@svc/contract'
import type { ZodType, z } from 'zod'

type Contract = typeof contract

/** Example values by the name of the component that they are of. The compiler holds them to its schema. */
export type Examples = { [K in keyof Contract as Contract[K] extends ZodType ? K : never]?: z.input<Contract[K]> }

// Not one of these is a key: they are too short, and their checksums are missing.
export const DEPLOY_KEY = 'svc_sk_EXAMPLE_not_a_key'
export const PUBLIC_KEY = 'svc_pk_EXAMPLE_not_a_key'
export const ACCOUNT_KEY = 'svc_ak_EXAMPLE_not_a_key'
export const DEPLOY_KEY_PREFIX = 'svc_sk_EXAM…PLE1'
export const PUBLIC_KEY_PREFIX = 'svc_pk_EXAM…PLE2'
export const ACCOUNT_KEY_PREFIX = 'svc_ak_EXAM…PLE3'
export const SECRET = 'EXAMPLE-signing-secret'

export const OWNER_ID = 'own_1BnTtEXAMPLEowner1'
export const PROJECT_ID = 'proj_1BnTtEXAMPLEshop1'
export const RUNTIME_ID = 'rt_shoe-shop'
export const EXECUTION_ID = 'exec_1BnTtEXAMPLErun01'
export const CALL_ID = 'call_1BnTtEXAMPLEcall1'
export const CHECKOUT_ID = 'chk_1BnTtEXAMPLEpay01'

export const REGISTERED_AT = '2026-03-02T09:12:44.108Z'
export const DEPLOYED_AT = '2026-03-02T09:20:03.554Z'
export const STARTED_AT = '2026-03-04T16:41:09.310Z'
export const COMPLETED_AT = '2026-03-04T16:41:11.952Z'
export const LATER = '2026-03-05T16:41:11.952Z'

export const NEXT_CURSOR = 'WzE3NzI2NDI0NjkzMTAsImV4ZWNfMUJuVHQiXQ'
