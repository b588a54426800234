/** The JSON text in place of a payload that would exceed the account's storage. */
export const TRUNCATED = '{"truncated":true}'
