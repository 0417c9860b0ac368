/** The sentences that rendering adds. Those that close a question are part of the contract, word for word. */
export const phrases = {
  byNumber: 'Reply with a number to choose.',
  yesOrNo: 'Reply YES to confirm or NO to decline.',
  yesToChoose: 'Reply YES to choose it.',
  byAddress: 'Reply with your address.',
  yes: 'Yes',
  no: 'No',
  select: 'Select',
  shareLocation: 'Share location',
  addToCalendar: 'Add to calendar',
  viewOnMap: 'View on map',
  /** Stands above chips if no text of the message does. */
  choose: 'Please choose:',
  orChoose: 'Or choose:',
} as const
