/** The JSON text that stands for a payload that an account has no room for. */
export const TRUNCATED = '{"truncated":true}'
