import { keyChecksum } from '@svc/contract'

const body = 'svc_sk_0123456789abcdefghijklmnopqrstuv'

/** A well-formed deploy key that opens nothing. */
export const DEPLOY_KEY = body + keyChecksum(body)
