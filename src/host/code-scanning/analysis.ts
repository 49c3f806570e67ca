// An analysis as rules know it: one run of an upload.

export interface Analysis {
  number: number;
  repositoryNumber: number;
  setNumber: number;
  uploadId: string;
  runIndex: number;
  ref: string;
  commitSha: string;
  toolName: string;
  toolVersion: string | null;
  toolGuid: string | null;
  category: string;
  resultsCount: number;
  rulesCount: number;
  warning: string;
  createdAt: number;
  isNewest: boolean;
}
