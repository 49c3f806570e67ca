// Node's own HTTP client and server. Importing `node:http` would load `fetch` too, which costs every start 50 ms and 10 MB.
export const {
  Agent,
  request,
  ServerResponse,
  STATUS_CODES,
  createServer: createHttpServer,
} = process.getBuiltinModule('node:http');
