// The permission of those who look after the server.

/** No `view…`, because readers may view everything. */
export const ADMINISTER_SERVER = 'administerServer';
export const SERVER_RESOURCE = 'acct';
