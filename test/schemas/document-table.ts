// The records of the document, transcribed by hand from sections 2.1 to 2.7, 4.1 to 4.3 and 7, not from the
// code. The schemas are compared with this table.

/** A type in the words of the document; a name in braces refers to another record of the table. */
export type DocumentType =
  | 'string'
  | 'number'
  | 'boolean'
  | 'any'
  | 'object'
  /** Only returned: a request must not contain it. */
  | 'nothing'
  | `{${string}}`
  | `array of ${'string' | 'number' | 'any' | `{${string}}`}`
  /** A list of values that is complete. */
  | { readonly oneOf: readonly string[] }
  /** A string, or a list of strings, of which the document shows some values. */
  | { readonly type: 'string' | 'array of string'; readonly shown: readonly string[] };

export interface DocumentRecord {
  readonly section: string;
  readonly closed: boolean;
  /** Fields that the document requires. */
  readonly required: readonly string[];
  /** Fields that are required by a choice: the document does not say whether they are. */
  readonly chosen: readonly string[];
  readonly fields: Readonly<Record<string, DocumentType>>;
}

type Fields = DocumentRecord['fields'];

/** Several fields of one type, written as the document lists names: `'a, b, c'`. */
const each = (type: DocumentType, names: string): Fields =>
  Object.fromEntries(names.split(', ').map((name) => [name, type]));

const shown = (...values: string[]): DocumentType => ({ type: 'string', shown: values });
const listShown = (...values: string[]): DocumentType => ({ type: 'array of string', shown: values });
const oneOf = (...values: string[]): DocumentType => ({ oneOf: values });

/** The names of fields by presence, written as the document lists names. All others are optional. */
type Presence = Partial<Readonly<Record<'required' | 'chosen', string>>>;

const record =
  (closed: boolean) =>
  (section: string, { required, chosen }: Presence = {}) =>
  (fields: Fields): DocumentRecord => ({
    section,
    closed,
    required: required?.split(', ') ?? [],
    chosen: chosen?.split(', ') ?? [],
    fields,
  });
const closed = record(true);
const open = record(false);

const variable: Fields = {
  id: 'string',
  in: 'string',
  type: shown('string'),
  value: 'any',
  defaultValue: 'any',
  key: 'string',
  description: 'string',
  ...each('boolean', 'required, reusable, isEnv, isSystem, isGlobal'),
  agentId: 'string',
  userId: 'string',
};

export const documentTable = {
  OrgClient: closed('2.1', { chosen: 'ID' })({
    ...each('string', 'ID, idpUid, agencyId, userId, ownerID, name, email, squarePhotoURL'),
    widgets: 'array of any',
    widgetIDs: 'array of string',
    ...each('string', 'dashboardUsername, dashboardPassword'),
    ts: 'number',
    canAccess: listShown('/home', '/convos', '/leads', '/kb', '/analytics', '/theme', '/settings', '/prompt'),
    ...each(listShown('all'), 'allowedChannels, allowedIntegrations'),
    clientTabOrder: listShown('home', 'convos', 'leads', 'kb', 'analytics', 'theme', 'settings', 'prompt'),
    magicCode: 'string',
    index: 'number',
    isAdmin: 'boolean',
    ...each('string', 'usedSecret, orgId'),
    type: oneOf('client', 'org'),
    ...each('boolean', 'isOrgAdmin, canDelegateChats'),
    status: oneOf('online', 'offline'),
    predefinedTags: 'array of string',
    FB_PUSH_TOKEN: 'string',
    notificationsSettings: '{NotificationsSettings}',
    handoff: '{HandoffSettings}',
    lastEmailSentTS: 'number',
    preferredLanguage: 'string',
    internal: '{InternalState}',
    lastInvitationTs: 'number',
    cannedResponses: 'array of {CannedResponse}',
    ...each('string', 'paymentCustomerId, signupSource'),
    ...each('boolean', 'allowCreateAgents, hideAdvancedSettings'),
    onboardingState: '{OnboardingState}',
    isNewSignup: 'boolean',
    teams: 'array of {TeamSummary}',
  }),
  HandoffSettings: open('2.1')({ maxAssignees: 'number' }),
  InternalState: open('2.1')({ hasChangedPassword: 'boolean' }),
  CannedResponse: open('2.1')({ key: 'string', content: 'string' }),
  TeamSummary: open('2.1', { chosen: 'ID' })(each('string', 'ID, key, label, description, orgId')),
  NotificationsSettings: closed('2.1.1', { required: 'notifyThrough, notifyIf' })({
    notifyThrough: oneOf('email', 'push', 'all', 'none'),
    notifyIf: oneOf('all', 'requestsOnly', 'none'),
    emailNotifyOnNewLead: 'boolean',
  }),
  OnboardingState: closed('2.1.2')({
    currentStep: 'number',
    isCompleted: 'boolean',
    completedSteps: 'array of number',
    personalInfo: '{PersonalInfo}',
    preferences: '{OnboardingPreferences}',
    setupData: '{SetupData}',
  }),
  PersonalInfo: open('2.1.2')(each('string', 'fullName, companyName, role, industry')),
  OnboardingPreferences: open('2.1.2')({
    primaryUseCase: 'string',
    communicationPreferences: 'array of string',
    goals: 'array of string',
  }),
  SetupData: open('2.1.2')({ selectedAgents: 'array of string', customizations: 'any' }),
  Team: closed('2.2', { chosen: 'ID' })({
    ...each('string', 'ID, orgId, key, label, description'),
    memberIds: 'array of string',
    ...each('number', 'ts, lastModified'),
  }),
  Variable: open('2.3', { chosen: 'id, key, type, agentId, userId' })(variable),
  VariableField: open('2.4')(variable),
  VariableInput: open('4.2', { required: 'key' })({ ...variable, ...each('nothing', 'id, agentId, userId') }),
  CreateVariableBody: open('4.2', { chosen: 'variable' })({ variable: '{VariableInput}' }),
  Tool: open('2.4', { chosen: 'id' })({
    ...each('string', 'id, name, description'),
    isDefault: 'boolean',
    method: shown('GET'),
    ...each('string', 'serverUrl, serverUrlSecret, createdAt, updatedAt'),
    ...each('boolean', 'disabled, isVoiceprovTool'),
    voiceprovId: 'string',
    isGlobal: 'boolean',
    variablesIds: 'array of string',
    ...each('string', 'agentId, userId'),
    backchannellingPhrases: 'array of string',
    toolsSettings: 'any',
    fields: 'array of {VariableField}',
    channels: listShown('web-chat'),
  }),
  DefaultTool: open('2.5')({
    id: shown('web-search', 'human-handoff', 'end-call'),
    name: shown('KB-Search', 'Structured-Search', 'present', 'resolve_caller_timezone'),
    ...each('string', 'description, notes'),
    kind: oneOf('assignable_system', 'runtime_auto'),
    assignableViaToolsIds: 'boolean',
    ...each('array of string', 'variablesIds, channels'),
  }),
  Conversation: open('2.6', { chosen: 'ID' })({
    // Contact and lead
    ...each('string', 'userEmail, userName, userPhone, userAddress, userCompany, userWebsite, notes'),
    ...each('string', 'userProfilePic, currency, expectedCloseDate, subIndustry, source, language, linkedIn'),
    ...each('string', 'facebook, instagram, demoDate, demoTime, demoLink, lostReason, lastActivityDate'),
    // Lead pipeline
    stage: shown('new'),
    value: 'number',
    // Identity and client
    ...each('string', 'ID, userID, campaignId, userImage, socialHandle, userOs, userBrowser, ipAddress'),
    ...each('string', 'browserTimezone, countryCode, userPlatform, contactIdentityId, crossChannelContext'),
    // Identity flags
    ...each('boolean', 'isFollowingBusiness, socialVerified, isBlocked, isTest, isTyping'),
    // Channel
    origin: 'any',
    ...each('string', 'whatsappPhoneNumberId, whatsappBusinessNumber, whatsappDisplayPhoneNumber'),
    whatsappBusinessAccountId: 'string',
    linkedChannels: 'array of string',
    externalFlowV4Session: '{ExternalFlowV4Session}',
    // Counters and times
    ...each('number', 'messagesNum, interactionsNum, ts, convoTimeSeconds, firstMessageTS, lastMessageTS'),
    ...each('number', 'lastModified, sessionsNum, totalUserInteractions, ratingFrom5, averageLatency'),
    lastViewed: 'number',
    // Labels
    tags: 'array of string',
    state: shown('requested_chat', 'ai-chatting'),
    ...each('string', 'lang, title, lastMessage, summary, shortSummary, endReason'),
    // Small-business contact
    smbContact: 'boolean',
    smbContactName: 'string',
    ...each('number', 'smbContactRemovedAt, smbLastSeenAt'),
    // Human takeover
    ...each('number', 'humanClaimedAt, humanLastRepliedAt, pendingAiReplyAt'),
    // Assignment
    chatAssignedTo: 'string',
    chatAssignedToIds: 'array of string',
    assignedToUsers: 'array of {Assignee}',
    assignedTo: '{Assignee}',
    ...each('string', 'notifyToUserId, requestedTeamKey, delegatedBy'),
    delegatedAt: 'number',
    handoffHistory: 'array of {HandoffRecord}',
    // Calls, cost, nodes
    voiceprov: '{VoiceprovCall}',
    voice: '{VoiceSession}',
    detailedCost: '{DetailedCost}',
    nodesInfo: '{NodesInfo}',
    // Free-form
    capturedVariables: 'any',
    ...each('array of any', 'campaignCalls, sessions, metrics'),
    // Archive and resolution
    isArchived: 'boolean',
    archivedAt: 'number',
    archivedBy: 'string',
    isResolved: 'boolean',
    resolvedAt: 'number',
    ...each('string', 'resolvedBy, resolvedByEmail, lastResolvedAssigneeId'),
    reopenedAt: 'number',
    reopenReason: 'string',
    csat: '{Csat}',
    note: 'string',
    // Lead heat
    hotScore: 'number',
    hotLabel: shown('hot'),
    crmActivities: 'array of {CrmActivity}',
    crmAlerts: '{CrmAlerts}',
    // Funnel
    leadScore: 'number',
    ...each('array of any', 'funnelStepsMatched, funnelScoreHistory'),
    funnelNotificationSent: 'boolean',
    funnelLastEvaluated: 'number',
    funnelExtractedData: 'object',
    funnelSummary: 'string',
    tokenUsage: '{TokenUsage}',
    inboundEngagementState: '{InboundEngagementState}',
  }),
  ExternalFlowV4Session: open('2.6')({
    ...each('string', 'sessionKey, projectId, environmentAlias'),
    updatedAt: 'number',
    resolvedRuntime: shown('legacy'),
  }),
  Assignee: open('2.6')({
    ...each('string', 'userId, name, email, photoUrl, note, assignedAt'),
    status: shown('pending'),
  }),
  HandoffRecord: open('2.6')({
    ...each('number', 'requestedAt, acceptedAt, completedAt'),
    ...each('string', 'acceptedBy, organizationId, requestedTeamKey'),
    ...each('array of string', 'teamIds, teamKeys'),
  }),
  VoiceprovCall: open('2.6')({
    ...each('number', 'cost, callDuration'),
    ...each('string', 'recordingUrl, syncRecordingUrl, callerPhoneNumber, calleePhoneNumber, callStatus'),
    callError: 'string',
  }),
  VoiceSession: open('2.6')({ ...each('string', 'latestSessionId, listenUrl'), listenUrlUNIX: 'number' }),
  DetailedCost: open('2.6')(
    each('number', 'totalCreditsConsumed, speechGenCost, transcriberCost, telcoCost, llmCost'),
  ),
  NodesInfo: open('2.6')({ currentNode: 'string' }),
  Csat: open('2.6')({
    ...each('number', 'satisfaction10, ease10, submittedAt, surveyVersion'),
    ...each('string', 'comment, channel'),
  }),
  CrmActivity: open('2.6')({
    type: shown('Message'),
    ...each('string', 'id, title, date, dueDate'),
    ...each('boolean', 'completed, responded'),
    ...each(shown('LinkedIn'), 'firstChannel, secondChannel'),
    ...each('boolean', 'firstEngaged, secondEngaged'),
    note: 'string',
    notesHistory: 'array of {CrmNote}',
    metadata: 'object',
  }),
  CrmNote: open('2.6')(each('string', 'text, agentId, agentName, timestamp')),
  CrmAlerts: open('2.6')(
    each('boolean', 'overdueECD, overdueActivity, staleLead, responded, newHandoffAssigned'),
  ),
  TokenUsage: open('2.6')({
    ...each('number', 'cumulativeInputTokens, cumulativeOutputTokens, cumulativeTotalTokens, cumulativeUsd'),
    ...each('number', 'lastTurnInputTokens, lastTurnOutputTokens, lastTurnTotalTokens, lastTurnUsd'),
    ...each('number', 'lastTurnContextWindow, lastTurnInputUsdPer1k, lastTurnOutputUsdPer1k, lastTurnTs'),
    lastTurnModelId: 'string',
    usagePerModel: 'object',
  }),
  InboundEngagementState: open('2.6')({
    ...each('number', 'firstDecisionAt, lastDecisionAt'),
    ...each('boolean', 'firstDecisionShouldReply, lastDecisionShouldReply, aiOwnedThread, ignoreThread'),
    lastDecisionReason: 'string',
    lastTriggeredBy: shown('phrase'),
  }),
  Envelope: open('2.7', { chosen: 'success, message' })({ success: 'boolean', message: 'string' }),
  MembersAndTeams: open('4.1', { required: 'clients, teams' })({
    clients: 'array of {OrgClient}',
    teams: 'array of {Team}',
  }),
  MembersAndTeamsResponse: closed('4.1', { required: 'success, message, clients, teams' })({
    success: 'boolean',
    message: 'string',
    clients: 'array of {OrgClient}',
    teams: 'array of {Team}',
  }),
  ReleaseNumberInput: open('4.3', { chosen: 'phoneNumberSid, isImportedNumber' })({
    ...each('string', 'workspaceId, phoneNumberSid'),
    isImportedNumber: 'boolean',
  }),
  ReleaseNumberResult: open('4.3', { chosen: 'isGood, errors' })({ isGood: 'boolean', errors: 'string' }),
  ErrorBody: closed('7', { required: 'message, code' })({
    ...each('string', 'message, code'),
    issues: 'array of {ErrorIssue}',
  }),
  ErrorIssue: open('7', { chosen: 'message' })({ message: 'string' }),
} satisfies Readonly<Record<string, DocumentRecord>>;

/** The name of a record: of its interface, and of its schema without the ending `Schema`. */
export type RecordName = keyof typeof documentTable;

// `Object.keys` forgets the names.
export const recordNames = Object.keys(documentTable) as readonly RecordName[];
