// The SARIF document of an analysis has the content type that is registered for it.
import { operationChange } from '../../../kernel/versions/version.ts';

export const sarifContentType = operationChange({
  version: '2026-03-10',
  title: 'The SARIF document of a code-scanning analysis has the content type `application/sarif+json`',
  advice: 'Expect `application/sarif+json` instead of `application/json+sarif`.',
  operations: ['code-scanning/get-analysis'],
  contentType: { now: 'application/sarif+json', before: 'application/json+sarif' },
});
