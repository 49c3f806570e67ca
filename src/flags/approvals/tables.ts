// The tables of approval requests.

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    approval_requests: ApprovalRequestRow;
    approval_reviewers: ApprovalReviewerRow;
  }
}

export interface ApprovalRequestRow {
  id: string;
  project_id: string;
  flag_id: string;
  environment_id: string;
  requestor_id: string;
  status: string;
  review_status: string;
  version: number;
  created_at: number;
  /** What is to happen, as JSON. */
  plan: string;
  /** The rest, as JSON. */
  doc: string;
}

/** Who was asked for a review, for searching: the request itself has them all. */
export interface ApprovalReviewerRow {
  request_id: string;
  member_id: string;
}
