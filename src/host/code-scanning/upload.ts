// An upload as rules know it, and where its bytes are kept.

export interface SarifUpload {
  number: number;
  id: string;
  repositoryNumber: number;
  ref: string;
  commitSha: string;
  checkoutUri: string | null;
  status: 'pending' | 'complete' | 'failed';
  errors: string[] | null;
  createdAt: number;
}

export const SARIF_BLOBS = 'host-sarif/';

/** As it was uploaded, until it is processed. */
export function uploadKey(id: string): string {
  return `${SARIF_BLOBS}${id}`;
}

/** What is kept of a run. */
export function documentKey(id: string, run: number): string {
  return `${SARIF_BLOBS}${id}/${run}`;
}
