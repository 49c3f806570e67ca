// The words of the API drawer.
export const DRAWER = {
  title: 'Calls of this page',
  text: 'Everything on this page came from these calls. A token with the same permissions can make them too.',
  draft: 'Save would send',
  close: 'Close',
  none: 'This page has made no calls yet.',
  noAnswer: 'no answer',
  requestId: 'Request id',
  left: (remaining: number, limit?: number) =>
    limit === undefined ? `${remaining} left` : `${remaining} of ${limit} left`,
} as const;
