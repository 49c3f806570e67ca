// Every message of an error reply is a sentence that ends with a period, except those that clients of the host compare.
import assert from 'node:assert/strict';

/** Their beginnings. */
const FIXED = [
  "'Expiration time' claim",
  "'Issued at' claim",
  "'Issuer' claim",
  'A JSON web token could not be decoded',
  'Bad credentials',
  'Base does not exist',
  'Body should be a JSON object',
  'Branch not found',
  'Branch not protected',
  'Head does not exist',
  'Label does not exist',
  'Moved Permanently',
  'Cannot change this locked branch',
  'Cannot delete this protected branch',
  'Cannot force-push to this branch',
  'Merge conflict',
  'No commit found for ',
  'Not Found',
  'Object does not exist',
  'Only the first 1000 search results are available',
  'Problems parsing JSON',
  'Pull Request is not mergeable',
  'Only organization repositories can have users and team restrictions',
  'Push restrictions not enabled',
  'Reference already exists',
  'Reference does not exist',
  'Required pull request reviews not enabled',
  'Required status checks not enabled',
  'Requires authentication',
  'Resource not accessible by integration',
  'There are merge conflicts',
  'This installation has been suspended',
  'Update is not a fast forward',
  'Validation Failed',
  'commit not found',
  'merge conflict between base and head',
];

interface ErrorReply {
  message?: unknown;
  error?: { message?: unknown } | string;
}

/** Throws for an error in JSON whose message is no sentence. */
export function checkErrorMessage(status: number, type: string, text: string): void {
  if (status < 400 || text === '' || !/^application\/json(?:;|$)/.test(type)) return;
  const body = JSON.parse(text) as ErrorReply | null;
  // A worker has no API, and so no words of one.
  if (typeof body?.error === 'string') return;
  const message = body?.error?.message ?? body?.message;
  if (typeof message !== 'string' || FIXED.some((beginning) => message.startsWith(beginning))) return;
  assert.match(message, /[.?!…]$/, `the message of the error ends with a period: ${message}`);
}
