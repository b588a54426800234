import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { exportJWK, exportSPKI, generateKeyPair, type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose'
import { listenOnFreePort } from './listen-on-free-port.ts'

/** What a document is answered with in place of its JSON. */
export type IssuerAnswer = (response: ServerResponse, request: IncomingMessage) => void

/** An issuer of access tokens on 127.0.0.1: its metadata, its keys, and tokens that it signs. */
export interface IssuerDouble {
  /** What `iss` says. */
  readonly issuer: string
  readonly jwksUri: string
  /** The paths that were asked for, in order. */
  readonly requests: readonly string[]
  /** What is served, by path: a document, or what answers in its place. */
  readonly documents: Map<string, object | IssuerAnswer>
  /** The public key of the moment, PEM. */
  publicKey(): Promise<string>
  /** A token for `alice` that is good for an hour, changed by these claims and headers. */
  sign(claims?: JWTPayload, header?: Partial<JWTHeaderParameters>): Promise<string>
  /** Replaces the key, and publishes the new one alone. */
  rotate(): Promise<void>
  close(): Promise<void>
}

export interface IssuerDoubleOptions {
  /** Default `ES256`. */
  alg?: 'ES256' | 'RS256' | 'EdDSA'
  /** The clock that tokens are signed by, milliseconds since the epoch. */
  now?: () => number
}

/** Starts an issuer with metadata (RFC 8414) and one key. */
export async function startIssuerDouble(options: IssuerDoubleOptions = {}): Promise<IssuerDouble> {
  const { alg = 'ES256', now = Date.now } = options
  const documents: IssuerDouble['documents'] = new Map()
  const requests: string[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    requests.push(path)
    const document = documents.get(path)
    if (typeof document === 'function') return document(response, request)
    response.writeHead(document ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(document ?? { error: 'not_found' }))
  })
  const { port, close } = await listenOnFreePort(server)
  const issuer = `http://127.0.0.1:${port}`
  const jwksUri = `${issuer}/jwks`
  let rotations = 0
  const renew = async () => {
    const pair = await generateKeyPair(alg, { extractable: true })
    const kid = `key-${++rotations}`
    documents.set('/jwks', { keys: [{ ...(await exportJWK(pair.publicKey)), kid, alg, use: 'sig' }] })
    return { ...pair, kid }
  }
  let key = await renew()
  documents.set('/.well-known/oauth-authorization-server', { issuer, jwks_uri: jwksUri })
  return {
    issuer,
    jwksUri,
    requests,
    documents,
    publicKey: () => exportSPKI(key.publicKey),
    sign(claims = {}, header = {}) {
      const seconds = Math.floor(now() / 1000)
      const payload = { iss: issuer, sub: 'alice', iat: seconds, exp: seconds + 3600, ...claims }
      return new SignJWT(payload).setProtectedHeader({ alg, kid: key.kid, ...header }).sign(key.privateKey)
    },
    async rotate() {
      key = await renew()
    },
    close,
  }
}
