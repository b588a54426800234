export const SESSION_COOKIE = 'help-desk-session'
