/** What stands in the place of a payload that an account has no room for, as JSON text. */
export const TRUNCATED = '{"truncated":true}'
