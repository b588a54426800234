// Generated files are committed, so that a change of what is published can be read and reviewed; their cache is local.
export const IGNORED = ['node_modules/', 'dist/', '.env', '.svc/generate.cache.json']
