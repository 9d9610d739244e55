// Made by openapi-typescript from openapi.json: `npm run openapi` writes it.
export interface paths {
    "/orgs/{orgId}/members-and-teams": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the clients and teams of an organisation
         * @description Lists the clients (dashboard users) and teams of an organisation, used for the assignment of chats (specification, 4.1).
         */
        get: operations["listMembersAndTeams"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{agentId}/variables": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Creates a variable for an agent
         * @description Creates a variable for an agent, under a key that the agent does not have yet (specification, 4.2). Which fields other than the key are required is not documented.
         */
        post: operations["createVariable"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/utils/telco/release-number": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Releases a telephone number from a workspace
         * @description Releases a telephone number from a workspace (specification, 4.3).
         *
         *     With `isImportedNumber: false` the number is also released on the platform's telephony account. That is permanent, and the same number may not be reclaimable. With `true` it only leaves the workspace.
         */
        post: operations["releasePhoneNumber"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tools/defaults": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the catalogue of built-in tools
         * @description Lists the catalogue of built-in tools (specification, 4.4): those an agent is given by listing their id in `nodes[].toolsIds`, and those the LLM runtime adds by itself.
         */
        get: operations["listDefaultTools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tools/{toolId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieves a tool with its full configuration
         * @description Retrieves a tool with its full configuration: fields, server URL and channels (specification, 4.5).
         */
        get: operations["getTool"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agents/{agentId}/convos/{convoId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Retrieves a conversation
         * @description Retrieves a conversation (specification, 4.6). The caller must own the agent.
         */
        get: operations["getConversation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/workspaces/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Deletes a workspace for good, with all it holds
         * @description Deletes a workspace for good (specification, 4.7): its agents, conversations, leads, tools, variables and the access of its members. Only its owners may, and never the primary workspace.
         */
        delete: operations["deleteWorkspace"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    message_received: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * message_received
         * @description Category: Message. Sent by both agent platforms. Not repeated after a failure (6.4).
         */
        post: operations["on_message_received"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    chat_delegated: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * chat_delegated
         * @description Category: Chat. Sent by both agent platforms. Not repeated after a failure (6.4).
         */
        post: operations["on_chat_delegated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    bug_reported: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * bug_reported
         * @description Category: Bug. Sent by both agent platforms. Not repeated after a failure (6.4).
         */
        post: operations["on_bug_reported"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    agent_deleted: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * agent_deleted
         * @description Category: Agent. Sent by both agent platforms. Not repeated after a failure (6.4).
         */
        post: operations["on_agent_deleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    webhook_test: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * webhook_test
         * @description Category: Test. Sent by both agent platforms. Not repeated after a failure (6.4).
         */
        post: operations["on_webhook_test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    lead_captured: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * lead_captured
         * @description Category: Lead. Sent by the native agent platform only. Not repeated after a failure (6.4).
         */
        post: operations["on_lead_captured"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    form_submitted: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * form_submitted
         * @description Category: Form. Sent by the native agent platform only. Not repeated after a failure (6.4).
         */
        post: operations["on_form_submitted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    organisation_created: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * organisation_created
         * @description Category: Organisation. Sent by both agent platforms. Not repeated after a failure (6.4).
         */
        post: operations["on_organisation_created"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    organisation_updated: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * organisation_updated
         * @description Category: Organisation. Sent by both agent platforms. Not repeated after a failure (6.4).
         */
        post: operations["on_organisation_updated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    organisation_deleted: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * organisation_deleted
         * @description Category: Organisation. Sent by both agent platforms. Not repeated after a failure (6.4).
         */
        post: operations["on_organisation_deleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    client_created: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * client_created
         * @description Category: Client. Sent by both agent platforms. Not repeated after a failure (6.4).
         */
        post: operations["on_client_created"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    client_updated: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * client_updated
         * @description Category: Client. Sent by both agent platforms. Not repeated after a failure (6.4).
         */
        post: operations["on_client_updated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    client_deleted: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * client_deleted
         * @description Category: Client. Sent by both agent platforms. Not repeated after a failure (6.4).
         */
        post: operations["on_client_deleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    agent_created: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * agent_created
         * @description Category: Agent. Which agent platforms send it is not shown. Not repeated after a failure (6.4).
         */
        post: operations["on_agent_created"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    agent_updated: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * agent_updated
         * @description Category: Agent. Which agent platforms send it is not shown. Not repeated after a failure (6.4).
         */
        post: operations["on_agent_updated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    conversation_updated: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * conversation_updated
         * @description Category: Conversation. Which agent platforms send it is not shown. Not repeated after a failure (6.4).
         */
        post: operations["on_conversation_updated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /** @description Payload of `agent_created`, `agent_updated` and `agent_deleted` (specification, 6.3). */
        AgentEventPayload: {
            /** @description Agent id. */
            agentId: string;
            /** @description Agent name. */
            agentName?: string;
            /**
             * @description The platform the agent runs on: `vg` or `vf`. The specification does not say which code is which platform.
             * @enum {string}
             */
            agentPlatform?: "vg" | "vf";
            /**
             * @description The operation that the event tells of. The specification lists the three values for the group, not one for each event type.
             * @enum {string}
             */
            operation: "created" | "updated" | "deleted";
            /** @description When the event was created, in milliseconds since the Unix epoch. */
            createdAt: number;
        };
        /** @description A user that a conversation is assigned to (specification, 2.6, assignee object). */
        Assignee: {
            /** @description User id. */
            userId?: string;
            /** @description Name of the user. */
            name?: string;
            /** @description Email of the user. */
            email?: string;
            /** @description URL of the user's photo. */
            photoUrl?: string;
            /** @description Note on the assignment. */
            note?: string;
            /** @description Time of the assignment; format not documented. */
            assignedAt?: string;
            /**
             * @description Status of the assignment. The specification shows `pending`; other values and the transitions are not shown.
             * @example pending
             */
            status?: string;
        };
        /** @description Payload of `bug_reported` (specification, 6.3). */
        BugReportedPayload: {
            /** @description Agent id. */
            agentId: string;
            /** @description Agent name. */
            agentName?: string;
            /** @description Conversation id. */
            convoId: string;
            /** @description The words of the reporter. */
            bugDescription: string;
            /** @description CDN URL of the screenshot. Only its URL is sent, never the picture itself. */
            imageUrl?: string;
            /** @description Id of the user who reported it. */
            reportedByUserId?: string;
            /** @description Name of the user who reported it. */
            reportedByUserName?: string;
            /** @description Email of the user who reported it. */
            reportedByUserEmail?: string;
            /**
             * @description The channel of the conversation: Set B of the specification.
             * @enum {string}
             */
            channel: "voice" | "voiceprov" | "web-chat" | "whatsapp" | "instagram" | "telegram" | "discord" | "gb-chat" | "messenger" | "telephony" | "webchat";
            /**
             * @description The operation that the event tells of.
             * @enum {string}
             */
            operation: "reported";
            /** @description When the event was created, in milliseconds since the Unix epoch. */
            createdAt: number;
        };
        /** @description A prepared answer for the chats tab (specification, 2.1, `cannedResponses`; closed as the client is). */
        CannedResponse: {
            /** @description Key of the response. */
            key?: string;
            /** @description Text of the response. */
            content?: string;
        };
        /** @description Payload of `chat_delegated` (specification, 6.3). */
        ChatDelegatedPayload: {
            /** @description Agent id. */
            agentId: string;
            /** @description Agent name. */
            agentName?: string;
            /** @description Conversation id. */
            convoId: string;
            /** @description Id of the user that the chat is assigned to. */
            assignedToUserId: string;
            /** @description Name of the user that the chat is assigned to. */
            assignedToUserName?: string;
            /** @description Email of the user that the chat is assigned to. */
            assignedToUserEmail?: string;
            /** @description Id of the user who delegated it. */
            delegatedByUserId?: string;
            /** @description Name of the user who delegated it. */
            delegatedByUserName?: string;
            /** @description Name of the customer. */
            customerName?: string;
            /** @description Email of the customer. */
            customerEmail?: string;
            /** @description Phone number of the customer. */
            customerPhone?: string;
            /**
             * @description The channel of the chat: Set B of the specification.
             * @enum {string}
             */
            channel: "voice" | "voiceprov" | "web-chat" | "whatsapp" | "instagram" | "telegram" | "discord" | "gb-chat" | "messenger" | "telephony" | "webchat";
            /**
             * @description The operation that the event tells of.
             * @enum {string}
             */
            operation: "delegated";
            /** @description When the event was created, in milliseconds since the Unix epoch. */
            createdAt: number;
        };
        /** @description Payload of `client_created`, `client_updated` and `client_deleted` (specification, 6.3). */
        ClientEventPayload: {
            /** @description Id of the organisation that the client belongs to. */
            organisationId: string;
            /** @description Organisation name. */
            organisationName?: string;
            /** @description Client id: the `ID` of an `OrgClient`. */
            clientId: string;
            /** @description Client name. */
            clientName?: string;
            /** @description Client email. */
            clientEmail?: string;
            /**
             * @description The operation that the event tells of. The specification lists the three values for the group, not one for each event type.
             * @enum {string}
             */
            operation: "created" | "updated" | "deleted";
            /** @description When the event was created, in milliseconds since the Unix epoch. */
            createdAt: number;
        };
        /**
         * @description A chat or call between an end user and an agent (specification, 2.6): contact, lead, assignment, cost, CRM, scoring and token data. Most fields are optional, and the specification does not show which are not: here, every field is. Numeric times are UNIX timestamps whose unit the specification does not show.
         *
         *     `externalFlowV4Session.sessionKey` and `voice.listenUrl` are secrets.
         */
        Conversation: {
            /** @description Email of the end user. */
            userEmail?: string;
            /** @description Name of the end user. */
            userName?: string;
            /** @description Telephone number of the end user. */
            userPhone?: string;
            /** @description Address of the end user. */
            userAddress?: string;
            /** @description Company of the end user. */
            userCompany?: string;
            /** @description Website of the end user. */
            userWebsite?: string;
            /** @description Notes on the lead. */
            notes?: string;
            /** @description Profile picture of the end user. */
            userProfilePic?: string;
            /** @description Currency of the lead. */
            currency?: string;
            /** @description Date the lead is expected to close; format not documented. */
            expectedCloseDate?: string;
            /** @description Sub-industry of the lead. */
            subIndustry?: string;
            /** @description Source of the lead. */
            source?: string;
            /** @description Language of the lead. */
            language?: string;
            /** @description The lead on LinkedIn. */
            linkedIn?: string;
            /** @description The lead on Facebook. */
            facebook?: string;
            /** @description The lead on Instagram. */
            instagram?: string;
            /** @description Date of the demo; format not documented. */
            demoDate?: string;
            /** @description Time of the demo; format not documented. */
            demoTime?: string;
            /** @description Link to the demo. */
            demoLink?: string;
            /** @description Reason why the lead was lost. */
            lostReason?: string;
            /** @description Date of the last activity; format not documented. */
            lastActivityDate?: string;
            /**
             * @description Stage in the lead pipeline. The specification shows `new`; other values are not shown.
             * @example new
             */
            stage?: string;
            /** @description Value in the lead pipeline; unit not documented. */
            value?: number;
            /** @description Conversation record id. An example composes it of the agent id and the conversation id. */
            ID?: string;
            /** @description User id. An example composes it of the agent id and the conversation id. */
            userID?: string;
            /** @description Id of the campaign. */
            campaignId?: string;
            /** @description Image of the end user. */
            userImage?: string;
            /** @description Social handle of the end user. */
            socialHandle?: string;
            /** @description Operating system of the end user. */
            userOs?: string;
            /** @description Browser of the end user. */
            userBrowser?: string;
            /** @description IP address of the end user. */
            ipAddress?: string;
            /** @description Time zone of the end user's browser. */
            browserTimezone?: string;
            /** @description Country code of the end user. */
            countryCode?: string;
            /** @description Platform of the end user. */
            userPlatform?: string;
            /** @description Id of the contact identity. */
            contactIdentityId?: string;
            /** @description Context from other channels; a string, not described further. */
            crossChannelContext?: string;
            /** @description The end user follows the business. */
            isFollowingBusiness?: boolean;
            /** @description The end user's social account is verified. */
            socialVerified?: boolean;
            /** @description The end user is blocked. */
            isBlocked?: boolean;
            /** @description The conversation is a test. */
            isTest?: boolean;
            /** @description Someone is typing; the specification does not say who. */
            isTyping?: boolean;
            /** @description Channel, such as web-chat or whatsapp; any JSON value. */
            origin?: unknown;
            /** @description Id of the WhatsApp phone number. */
            whatsappPhoneNumberId?: string;
            /** @description WhatsApp number of the business. */
            whatsappBusinessNumber?: string;
            /** @description WhatsApp phone number as it is displayed. */
            whatsappDisplayPhoneNumber?: string;
            /** @description Id of the WhatsApp business account. */
            whatsappBusinessAccountId?: string;
            /** @description Linked channels. */
            linkedChannels?: string[];
            /** @description Session at the external flow-builder platform. */
            externalFlowV4Session?: components["schemas"]["ExternalFlowV4Session"];
            /** @description The end user is a small-business contact. */
            smbContact?: boolean;
            /** @description Name of the small-business contact. */
            smbContactName?: string;
            /** @description Time the small-business contact was removed: UNIX timestamp; unit not documented. */
            smbContactRemovedAt?: number;
            /** @description Time the small-business contact was last seen: UNIX timestamp; unit not documented. */
            smbLastSeenAt?: number;
            /** @description Number of messages. */
            messagesNum?: number;
            /** @description Number of interactions. */
            interactionsNum?: number;
            /** @description UNIX timestamp; what it marks and its unit are not documented. */
            ts?: number;
            /** @description Duration of the conversation; by its name, in seconds. */
            convoTimeSeconds?: number;
            /** @description Time of the first message: UNIX timestamp; unit not documented. */
            firstMessageTS?: number;
            /** @description Time of the last message: UNIX timestamp; unit not documented. */
            lastMessageTS?: number;
            /** @description Time of the last modification: UNIX timestamp; unit not documented. */
            lastModified?: number;
            /** @description Number of sessions. */
            sessionsNum?: number;
            /** @description Number of the end user's interactions in total. */
            totalUserInteractions?: number;
            /** @description Rating; by its name, out of 5. */
            ratingFrom5?: number;
            /** @description Average latency; unit not documented. */
            averageLatency?: number;
            /** @description Time of the last view: UNIX timestamp; unit not documented. */
            lastViewed?: number;
            /** @description Tags. */
            tags?: string[];
            /**
             * @description State. The specification shows `requested_chat` and `ai-chatting`; the set and its transitions are not shown.
             * @example requested_chat
             * @example ai-chatting
             */
            state?: string;
            /** @description Language of the conversation. */
            lang?: string;
            /** @description Title. */
            title?: string;
            /** @description Text of the last message. */
            lastMessage?: string;
            /** @description Summary. */
            summary?: string;
            /** @description Short summary. */
            shortSummary?: string;
            /** @description Reason why the conversation ended. */
            endReason?: string;
            /** @description Call at the external voice provider. */
            voiceprov?: components["schemas"]["VoiceprovCall"];
            /** @description Voice session. */
            voice?: components["schemas"]["VoiceSession"];
            /** @description Cost by part. */
            detailedCost?: components["schemas"]["DetailedCost"];
            /** @description Position among the nodes of the agent. */
            nodesInfo?: components["schemas"]["NodesInfo"];
            /** @description Captured variables; any JSON value. */
            capturedVariables?: unknown;
            /** @description Campaign calls; any JSON values. */
            campaignCalls?: unknown[];
            /** @description Sessions; any JSON values. */
            sessions?: unknown[];
            /** @description Metrics; any JSON values. */
            metrics?: unknown[];
            /** @description LLM tokens used. */
            tokenUsage?: components["schemas"]["TokenUsage"];
            /** @description Time a human claimed the conversation: UNIX timestamp; unit not documented. */
            humanClaimedAt?: number;
            /** @description Time a human last replied: UNIX timestamp; unit not documented. */
            humanLastRepliedAt?: number;
            /** @description Time of the pending reply of the AI: UNIX timestamp; unit not documented. */
            pendingAiReplyAt?: number;
            /** @description The one the chat is assigned to. */
            chatAssignedTo?: string;
            /** @description IDs of those the chat is assigned to. */
            chatAssignedToIds?: string[];
            /** @description The users the conversation is assigned to. */
            assignedToUsers?: components["schemas"]["Assignee"][];
            /** @description The user the conversation is assigned to. */
            assignedTo?: components["schemas"]["Assignee"];
            /** @description Id of the user to notify. */
            notifyToUserId?: string;
            /** @description Key of the team that was requested. */
            requestedTeamKey?: string;
            /** @description The one who delegated the chat. */
            delegatedBy?: string;
            /** @description Time the chat was delegated: UNIX timestamp; unit not documented. */
            delegatedAt?: number;
            /** @description The handoffs to humans so far. */
            handoffHistory?: components["schemas"]["HandoffRecord"][];
            /** @description The conversation is archived. */
            isArchived?: boolean;
            /** @description Time of the archiving: UNIX timestamp; unit not documented. */
            archivedAt?: number;
            /** @description The one who archived the conversation. */
            archivedBy?: string;
            /** @description The conversation is resolved. */
            isResolved?: boolean;
            /** @description Time of the resolution: UNIX timestamp; unit not documented. */
            resolvedAt?: number;
            /** @description The one who resolved the conversation. */
            resolvedBy?: string;
            /** @description Email of the one who resolved the conversation. */
            resolvedByEmail?: string;
            /** @description Id of the assignee at the last resolution. */
            lastResolvedAssigneeId?: string;
            /** @description Time of the reopening: UNIX timestamp; unit not documented. */
            reopenedAt?: number;
            /** @description Reason of the reopening. */
            reopenReason?: string;
            /** @description Answer of the end user to the satisfaction survey. */
            csat?: components["schemas"]["Csat"];
            /** @description Note on the conversation. */
            note?: string;
            /** @description Heat of the lead as a score. */
            hotScore?: number;
            /**
             * @description Heat of the lead as a label. The specification shows `hot`; other values are not shown.
             * @example hot
             */
            hotLabel?: string;
            /** @description CRM activities. */
            crmActivities?: components["schemas"]["CrmActivity"][];
            /** @description CRM alerts. */
            crmAlerts?: components["schemas"]["CrmAlerts"];
            /** @description Score of the lead; 0 in the specification's sample. */
            leadScore?: number;
            /** @description Funnel steps that matched; any JSON values, empty in the specification's sample. */
            funnelStepsMatched?: unknown[];
            /** @description Scores so far; any JSON values, empty in the specification's sample. */
            funnelScoreHistory?: unknown[];
            /** @description The notification on the funnel has been sent; false in the specification's sample. */
            funnelNotificationSent?: boolean;
            /** @description Time of the last evaluation: UNIX timestamp; unit not documented. */
            funnelLastEvaluated?: number;
            /** @description Data extracted for the funnel; its fields are not documented. */
            funnelExtractedData?: Record<string, never>;
            /** @description Summary for the funnel. */
            funnelSummary?: string;
            /** @description Tells whether the AI engages in an inbound conversation, and why. */
            inboundEngagementState?: components["schemas"]["InboundEngagementState"];
        };
        /** @description Payload of `conversation_updated` (specification, 6.3), sent after a conversation is persisted. It is also posted to the agent's `advanced.serverUrl` when that is configured. */
        ConversationUpdatedPayload: {
            /** @description Agent id. */
            agentId: string;
            /** @description Agent name. */
            agentName?: string;
            /** @description Conversation id. */
            convoId: string;
            /** @description Session id. */
            sessionId?: string;
            /** @description The channel of the conversation. A plain string: the specification gives no value set for this event. */
            channel?: string;
            /**
             * @description The region of the workspace.
             * @enum {string}
             */
            region?: "eu" | "na";
            /** @description Light conversation metadata. Inner structure: not shown. */
            lightConvoData: Record<string, never>;
            /** @description The full chat history. Inner structure: not shown. */
            turns: unknown[];
            /** @description The LLM message history, when available. Inner structure: not shown. */
            messagesHistory?: unknown[];
            /**
             * @description The operation that the event tells of.
             * @enum {string}
             */
            operation: "updated";
            /** @description When the event was created, in milliseconds since the Unix epoch. */
            createdAt: number;
        };
        CreateVariableRequest: {
            variable: components["schemas"]["VariableInput"];
        };
        CreateVariableResponse: {
            success?: boolean;
            message?: string;
            data: components["schemas"]["Variable"];
        };
        /** @description One CRM activity of a conversation (specification, 2.6, crmActivities). */
        CrmActivity: {
            /**
             * @description Type of the activity. The specification shows `Message`.
             * @example Message
             */
            type?: string;
            /** @description Id of the activity. */
            id?: string;
            /** @description Title of the activity. */
            title?: string;
            /** @description Date of the activity; format not documented. */
            date?: string;
            /** @description Date the activity is due; format not documented. */
            dueDate?: string;
            /** @description The activity is completed. */
            completed?: boolean;
            /** @description The lead has responded. */
            responded?: boolean;
            /**
             * @description First channel. The specification shows `LinkedIn`.
             * @example LinkedIn
             */
            firstChannel?: string;
            /**
             * @description Second channel. The specification shows `LinkedIn`.
             * @example LinkedIn
             */
            secondChannel?: string;
            /** @description The first channel has been engaged. */
            firstEngaged?: boolean;
            /** @description The second channel has been engaged. */
            secondEngaged?: boolean;
            /** @description Note on the activity. */
            note?: string;
            /** @description The notes so far. */
            notesHistory?: components["schemas"]["CrmNote"][];
            /** @description Further data; its fields are not documented. */
            metadata?: Record<string, never>;
        };
        /** @description The CRM alerts of a conversation (specification, 2.6, crmAlerts). */
        CrmAlerts: {
            /** @description The ECD is overdue. The specification does not explain the abbreviation. */
            overdueECD?: boolean;
            /** @description An activity is overdue. */
            overdueActivity?: boolean;
            /** @description The lead is stale. */
            staleLead?: boolean;
            /** @description The lead has responded. */
            responded?: boolean;
            /** @description A new handoff is assigned. */
            newHandoffAssigned?: boolean;
        };
        /** @description One note in the history of a CRM activity (specification, 2.6, notesHistory). */
        CrmNote: {
            /** @description Text of the note. */
            text?: string;
            /** @description Id of the agent that wrote it. */
            agentId?: string;
            /** @description Name of the agent that wrote it. */
            agentName?: string;
            /** @description Time of the note; a string, format not documented. */
            timestamp?: string;
        };
        /** @description The answer of the end user to the satisfaction survey (specification, 2.6, csat). */
        Csat: {
            /** @description Satisfaction; by its name, out of 10. */
            satisfaction10?: number;
            /** @description Ease; by its name, out of 10. */
            ease10?: number;
            /** @description Comment of the end user. */
            comment?: string;
            /** @description Time of the answer: UNIX timestamp; unit not documented. */
            submittedAt?: number;
            /** @description Channel of the answer. */
            channel?: string;
            /** @description Version of the survey. */
            surveyVersion?: number;
        };
        /** @description An entry of the catalogue of built-in tools (specification, 2.5). */
        DefaultTool: {
            /** @description Tool id, such as `web-search`, `human-handoff` or `end-call`. Required by choice of this package. */
            id: string;
            /** @description Name of the tool. */
            name?: string;
            /** @description Description of the tool. */
            description?: string;
            /** @description Notes on the tool. */
            notes?: string;
            /**
             * @description `assignable_system`: enabled on an agent by listing the tool id in `nodes[].toolsIds` on an agent update.
             *     - `runtime_auto`: injected by the LLM runtime, not created, read, updated or deleted as a tool.
             * @enum {string}
             */
            kind?: "assignable_system" | "runtime_auto";
            /** @description The tool can be assigned to an agent through `toolsIds`. */
            assignableViaToolsIds?: boolean;
            /** @description IDs of the tool's variables. */
            variablesIds?: string[];
            /** @description Channels of the tool. */
            channels?: string[];
        };
        DeleteWorkspaceResponse: {
            success?: boolean;
            message?: string;
        };
        /** @description The cost of a conversation, by part (specification, 2.6, detailedCost). The units are not documented. */
        DetailedCost: {
            /** @description Credits consumed in total. */
            totalCreditsConsumed?: number;
            /** @description Cost of speech generation; unit not documented. */
            speechGenCost?: number;
            /** @description Cost of the transcriber; unit not documented. */
            transcriberCost?: number;
            /** @description Cost of telephony; unit not documented. */
            telcoCost?: number;
            /** @description Cost of the LLM; unit not documented. */
            llmCost?: number;
        };
        /** @description The body of every error answer (specification, section 7; closed). */
        ErrorBody: {
            /** @description Says what went wrong. */
            message: string;
            /** @description The kind of the error. The specification does not list the values. */
            code: string;
            /** @description Details, where the service gives any. */
            issues?: components["schemas"]["ErrorIssue"][];
        };
        /** @description One entry of `issues` in an error body (specification, section 7; closed as the body is). */
        ErrorIssue: {
            /** @description Says what is wrong. */
            message: string;
        };
        /** @description The session of a conversation at the external flow-builder platform (specification, 2.6, externalFlowV4Session). */
        ExternalFlowV4Session: {
            /** @description Key of the session. Secret. */
            sessionKey?: string;
            /** @description Id of the project. */
            projectId?: string;
            /** @description Alias of the environment. */
            environmentAlias?: string;
            /** @description Time of the last update: UNIX timestamp; unit not documented. */
            updatedAt?: number;
            /**
             * @description The runtime that was resolved. The specification shows `legacy`.
             * @example legacy
             */
            resolvedRuntime?: string;
        };
        /** @description Payload of `form_submitted` (specification, 6.3). Native platform only: it supports UI-engine forms. */
        FormSubmittedPayload: {
            /** @description Agent id. */
            agentId: string;
            /** @description Agent name. */
            agentName?: string;
            /** @description Conversation id. */
            convoId: string;
            /**
             * @description Kind of the form; not described further.
             * @enum {string}
             */
            formType: "ui_engine_form" | "ui_engine_input";
            /** @description The values that were filled in, as key-value pairs. */
            formData: Record<string, never>;
            /**
             * @description The channel it came through: Set B of the specification.
             * @enum {string}
             */
            channel: "voice" | "voiceprov" | "web-chat" | "whatsapp" | "instagram" | "telegram" | "discord" | "gb-chat" | "messenger" | "telephony" | "webchat";
            /** @description When the event was created, in milliseconds since the Unix epoch. */
            createdAt: number;
        };
        GetConversationResponse: {
            success?: boolean;
            message?: string;
            data: components["schemas"]["Conversation"];
        };
        GetToolResponse: {
            success?: boolean;
            message?: string;
            data: components["schemas"]["Tool"];
        };
        /** @description One handoff of a conversation to humans (specification, 2.6, handoffHistory). */
        HandoffRecord: {
            /** @description Time of the request: UNIX timestamp; unit not documented. */
            requestedAt?: number;
            /** @description Time of the acceptance: UNIX timestamp; unit not documented. */
            acceptedAt?: number;
            /** @description Time of the completion: UNIX timestamp; unit not documented. */
            completedAt?: number;
            /** @description The one who accepted. */
            acceptedBy?: string;
            /** @description Organisation of the handoff. */
            organizationId?: string;
            /** @description Key of the team that was requested. */
            requestedTeamKey?: string;
            /** @description IDs of the teams. */
            teamIds?: string[];
            /** @description Keys of the teams. */
            teamKeys?: string[];
        };
        /** @description Handoff setting of a client (specification, 2.1, `handoff`; closed as the client is). */
        HandoffSettings: {
            /** @description Maximum number of assignees for handoff. */
            maxAssignees?: number;
        };
        /** @description Tells whether the AI engages in an inbound conversation, and why (specification, 2.6, inboundEngagementState). */
        InboundEngagementState: {
            /** @description Time of the first decision: UNIX timestamp; unit not documented. */
            firstDecisionAt?: number;
            /** @description Time of the last decision: UNIX timestamp; unit not documented. */
            lastDecisionAt?: number;
            /** @description The first decision was to reply. */
            firstDecisionShouldReply?: boolean;
            /** @description The last decision was to reply. */
            lastDecisionShouldReply?: boolean;
            /** @description The AI owns the thread. */
            aiOwnedThread?: boolean;
            /** @description The thread is to be ignored. */
            ignoreThread?: boolean;
            /** @description Reason of the last decision. */
            lastDecisionReason?: string;
            /**
             * @description The last trigger. The specification shows `phrase`.
             * @example phrase
             */
            lastTriggeredBy?: string;
        };
        /** @description Notes of the service about a client, for its own use (specification, 2.1, `internal`; closed as the client is). */
        InternalState: {
            /** @description The client has changed the password. Used internally. */
            hasChangedPassword?: boolean;
        };
        /** @description Payload of `lead_captured` (specification, 6.3). Native platform only: it supports automatic lead collection. */
        LeadCapturedPayload: {
            /** @description Agent id. */
            agentId: string;
            /** @description Agent name. */
            agentName?: string;
            /** @description Name of the lead. */
            leadName?: string;
            /** @description Email of the lead. */
            leadEmail?: string;
            /** @description Phone number of the lead. */
            leadPhone?: string;
            /**
             * @description The channel it came through: Set B of the specification.
             * @enum {string}
             */
            channel: "voice" | "voiceprov" | "web-chat" | "whatsapp" | "instagram" | "telegram" | "discord" | "gb-chat" | "messenger" | "telephony" | "webchat";
            /**
             * @description The operation that the event tells of.
             * @enum {string}
             */
            operation: "captured";
            /** @description When the event was created, in milliseconds since the Unix epoch. */
            createdAt: number;
        };
        ListDefaultToolsResponse: {
            success?: boolean;
            message?: string;
            data: components["schemas"]["DefaultTool"][];
        };
        ListMembersAndTeamsResponse: {
            success: boolean;
            message: string;
            clients: components["schemas"]["OrgClient"][];
            teams: components["schemas"]["Team"][];
        };
        /** @description Payload of `message_received` (specification, 6.3). */
        MessageReceivedPayload: {
            /** @description Agent id. */
            agentId: string;
            /** @description Agent name. */
            agentName?: string;
            /** @description Conversation id. */
            convoId: string;
            /** @description The message. */
            messageContent: string;
            /**
             * @description The channel it came through: Set A of the specification.
             * @enum {string}
             */
            channel: "whatsapp" | "instagram" | "facebook" | "telegram" | "webchat";
            /** @description Type of the message. Values: not shown. */
            messageType?: string;
            /** @description The sender of the message. Format: not shown. */
            from?: string;
            /** @description When the event was created, in milliseconds since the Unix epoch. */
            createdAt: number;
        };
        /** @description The position of a conversation among the nodes of its agent (specification, 2.6, nodesInfo). */
        NodesInfo: {
            /** @description The node the conversation is at. */
            currentNode?: string;
        };
        /** @description The way a client is notified (specification, 2.1.1; closed). By default a client receives only email notifications for requests. */
        NotificationsSettings: {
            /**
             * @description The way notifications take.
             * @enum {string}
             */
            notifyThrough: "email" | "push" | "all" | "none";
            /**
             * @description The things that are notified: everything, requests only, or nothing.
             * @enum {string}
             */
            notifyIf: "all" | "requestsOnly" | "none";
            /** @description Email on each lead captured from calls. */
            emailNotifyOnNewLead?: boolean;
        };
        /** @description The choices of a client in the onboarding (specification, 2.1.2, `preferences`; closed as the state is). */
        OnboardingPreferences: {
            /** @description Main use the client has in mind. */
            primaryUseCase?: string;
            /** @description Ways of communication the client prefers. */
            communicationPreferences?: string[];
            /** @description Goals of the client. */
            goals?: string[];
        };
        /** @description The progress of a client in the onboarding (specification, 2.1.2; closed). */
        OnboardingState: {
            /** @description Step the client is at. */
            currentStep?: number;
            /** @description The onboarding is completed. */
            isCompleted?: boolean;
            /** @description Steps that are completed. */
            completedSteps?: number[];
            /** @description Answers of the client about themselves. */
            personalInfo?: components["schemas"]["PersonalInfo"];
            /** @description Choices of the client. */
            preferences?: components["schemas"]["OnboardingPreferences"];
            /** @description Things that the client set up. */
            setupData?: components["schemas"]["SetupData"];
        };
        /**
         * @description A dashboard user of an organisation: the specification's *Client* (2.1; closed).
         *
         *     `dashboardPassword`, `magicCode`, `usedSecret` and `FB_PUSH_TOKEN` are secrets.
         */
        OrgClient: {
            /** @description Client id. Required by choice of this package. */
            ID: string;
            /** @description Identity-provider user id of the client. */
            idpUid?: string;
            /** @description Agency id. */
            agencyId?: string;
            /** @description User id. */
            userId?: string;
            /** @description Owner id of the workspace that owns the client. */
            ownerID?: string;
            /** @description Client name. */
            name?: string;
            /** @description Sign-in email. A whitelabel dashboard login can be pre-filled through the query parameter `email`. */
            email?: string;
            /** @description Photo URL shown on the client dashboard. */
            squarePhotoURL?: string;
            /** @description Used by the system only. */
            widgets?: unknown[];
            /** @description IDs of agents assigned to the client. */
            widgetIDs?: string[];
            /**
             * @deprecated
             * @description Not described further. Unused.
             */
            dashboardUsername?: string;
            /** @description Secret. Sign-in password used with the email on the whitelabel dashboard. The query parameter `password` pre-fills the login. */
            dashboardPassword?: string;
            /** @description UNIX timestamp of the last change to the client; unit not documented. */
            ts?: number;
            /** @description Tab hrefs the client may open. */
            canAccess?: string[];
            /** @description Channels the client may use on the channels page. `['all']` or omitted means every channel. */
            allowedChannels?: string[];
            /** @description Integrations the client may use on the integrations page. `['all']` or omitted means every integration. */
            allowedIntegrations?: string[];
            /** @description Order of the client tabs. */
            clientTabOrder?: string[];
            /** @description Secret. Code used to sign in to the dashboard. */
            magicCode?: string;
            /** @description Sort index of the client. */
            index?: number;
            /** @description Org admin: may create other users in the org and has more dashboard access. */
            isAdmin?: boolean;
            /** @description Secret used to sign in to the dashboard. */
            usedSecret?: string;
            /** @description Organisation the client belongs to. Must be defined when a client is created. */
            orgId?: string;
            /**
             * @deprecated
             * @description Kind of the client; not described further. Marked so by the specification, without a successor.
             * @enum {string}
             */
            type?: "client" | "org";
            /** @description Same meaning as `isAdmin`. */
            isOrgAdmin?: boolean;
            /** @description May delegate chats to other users of the org. */
            canDelegateChats?: boolean;
            /**
             * @description Availability for real-time handoff, shown on the dashboard and in the web widget.
             * @enum {string}
             */
            status?: "online" | "offline";
            /** @description Tags used for quick tagging of chats. */
            predefinedTags?: string[];
            /** @description Secret. Push-notification token used for browser notifications. */
            FB_PUSH_TOKEN?: string;
            /** @description The way the client is notified. By default the client receives only email notifications for requests. */
            notificationsSettings?: components["schemas"]["NotificationsSettings"];
            /** @description Handoff setting: the maximum number of assignees. */
            handoff?: components["schemas"]["HandoffSettings"];
            /** @description Timestamp of the last email sent, used to limit email volume; unit not documented. */
            lastEmailSentTS?: number;
            /** @description 2-letter language code. The whole whitelabel dashboard is translated to it. */
            preferredLanguage?: string;
            /** @description Used internally. */
            internal?: components["schemas"]["InternalState"];
            /** @description Timestamp of the last invitation; unit not documented. */
            lastInvitationTs?: number;
            /** @description Canned responses for the chats tab. */
            cannedResponses?: components["schemas"]["CannedResponse"][];
            /** @description Customer id at the payment provider. */
            paymentCustomerId?: string;
            /** @description Signup source of the onboarding. */
            signupSource?: string;
            /** @description Client may create agents. */
            allowCreateAgents?: boolean;
            /** @description Client has the advanced settings hidden. */
            hideAdvancedSettings?: boolean;
            /** @description Progress of the client in the onboarding. */
            onboardingState?: components["schemas"]["OnboardingState"];
            /** @description Marks clients created through signup. Triggers onboarding. */
            isNewSignup?: boolean;
            /** @description Teams the client belongs to (selected by team `memberIds`). */
            teams?: components["schemas"]["TeamSummary"][];
        };
        /** @description Payload of `organisation_created`, `organisation_updated` and `organisation_deleted` (specification, 6.3). */
        OrganisationEventPayload: {
            /** @description Organisation id. */
            organisationId: string;
            /** @description Organisation name. */
            organisationName?: string;
            /**
             * @description The operation that the event tells of. The specification lists the three values for the group, not one for each event type.
             * @enum {string}
             */
            operation: "created" | "updated" | "deleted";
            /** @description When the event was created, in milliseconds since the Unix epoch. */
            createdAt: number;
        };
        /** @description The answers of a client about themselves (specification, 2.1.2, `personalInfo`; closed as the state is). */
        PersonalInfo: {
            /** @description Full name. */
            fullName?: string;
            /** @description Name of the company. */
            companyName?: string;
            /** @description Role in the company. */
            role?: string;
            /** @description Industry of the company. */
            industry?: string;
        };
        ReleasePhoneNumberRequest: {
            workspaceId?: string;
            phoneNumberSid: string;
            isImportedNumber: boolean;
        };
        ReleasePhoneNumberResponse: {
            isGood: boolean;
            errors?: string;
        };
        /** @description The things that a client set up in the onboarding (specification, 2.1.2, `setupData`; closed as the state is). */
        SetupData: {
            /** @description Agents the client selected. */
            selectedAgents?: string[];
            /** @description Customizations; any JSON value. */
            customizations?: unknown;
        };
        /** @description A team of an organisation, used for the assignment of chats (specification, 2.2; closed). */
        Team: {
            /** @description Team id. Required by choice of this package. */
            ID: string;
            /** @description Organisation the team belongs to. */
            orgId?: string;
            /** @description Key of the team. */
            key?: string;
            /** @description Label of the team. */
            label?: string;
            /** @description Description of the team. */
            description?: string;
            /** @description IDs of the clients that are members. */
            memberIds?: string[];
            /** @description Timestamp; what it marks and its unit are not documented. */
            ts?: number;
            /** @description Timestamp of the last modification; unit not documented. */
            lastModified?: number;
        };
        /** @description A team as it stands inside a client (specification, 2.1, `teams`; closed as the client is). */
        TeamSummary: {
            /** @description Team id. Required by choice of this package. */
            ID: string;
            /** @description Key of the team. */
            key?: string;
            /** @description Label of the team. */
            label?: string;
            /** @description Description of the team. */
            description?: string;
            /** @description Organisation the team belongs to. */
            orgId?: string;
        };
        /** @description The LLM tokens a conversation used, in all and in its last turn (specification, 2.6, tokenUsage). */
        TokenUsage: {
            /** @description Input tokens of all turns. */
            cumulativeInputTokens?: number;
            /** @description Output tokens of all turns. */
            cumulativeOutputTokens?: number;
            /** @description Tokens of all turns. */
            cumulativeTotalTokens?: number;
            /** @description Cost of all turns, in USD. */
            cumulativeUsd?: number;
            /** @description Input tokens of the last turn. */
            lastTurnInputTokens?: number;
            /** @description Output tokens of the last turn. */
            lastTurnOutputTokens?: number;
            /** @description Tokens of the last turn. */
            lastTurnTotalTokens?: number;
            /** @description Cost of the last turn, in USD. */
            lastTurnUsd?: number;
            /** @description Context window in the last turn. */
            lastTurnContextWindow?: number;
            /** @description Price of 1000 input tokens in the last turn, in USD. */
            lastTurnInputUsdPer1k?: number;
            /** @description Price of 1000 output tokens in the last turn, in USD. */
            lastTurnOutputUsdPer1k?: number;
            /** @description Time of the last turn: UNIX timestamp; unit not documented. */
            lastTurnTs?: number;
            /** @description Id of the model of the last turn. */
            lastTurnModelId?: string;
            /** @description Usage by model; its fields are not documented. */
            usagePerModel?: Record<string, never>;
        };
        /** @description A capability that an agent can call, with its full configuration (specification, 2.4). */
        Tool: {
            /** @description Tool id. Required by choice of this package. */
            id: string;
            /** @description Name of the tool. */
            name?: string;
            /** @description Description of the tool. */
            description?: string;
            /** @description The tool is a default one, built in. */
            isDefault?: boolean;
            /**
             * @description HTTP method of the call. The specification lists `GET` only, and does not show other values.
             * @example GET
             */
            method?: string;
            /** @description URL the tool calls. */
            serverUrl?: string;
            /** @description Secret attached to the server URL. */
            serverUrlSecret?: string;
            /** @description Time of creation; format not documented. */
            createdAt?: string;
            /** @description Time of the last update; format not documented. */
            updatedAt?: string;
            /** @description The tool is disabled. */
            disabled?: boolean;
            /** @description The tool is mirrored at the external voice provider. */
            isVoiceprovTool?: boolean;
            /** @description Id at the external voice provider. */
            voiceprovId?: string;
            /** @description The tool is global; not described further. */
            isGlobal?: boolean;
            /** @description IDs of the tool's variables. */
            variablesIds?: string[];
            /** @description Owning agent. */
            agentId?: string;
            /** @description Owner. */
            userId?: string;
            /** @description Backchannelling phrases; not described further. */
            backchannellingPhrases?: string[];
            /** @description Settings of the tool; any JSON value. */
            toolsSettings?: unknown;
            /** @description Field configuration of the tool. */
            fields?: components["schemas"]["VariableField"][];
            /** @description Channels of the tool. `web-chat` is a listed value; others are not shown. */
            channels?: string[];
        };
        /** @description A named value that belongs to an agent, as its creation returns it (specification, 2.3). */
        Variable: {
            /** @description Variable id, set by the service, returned only. Required by choice of this package. */
            id: string;
            /** @description The place where the variable is used. */
            in?: string;
            /**
             * @description Type of the value. The specification shows `string` and does not list other values.
             * @example string
             */
            type?: string;
            /** @description Current value; any JSON value. A secret where `isEnv` is true. */
            value?: unknown;
            /** @description Default value; any JSON value. A secret where `isEnv` is true. */
            defaultValue?: unknown;
            /** @description Name. Unique within its agent. */
            key?: string;
            /** @description Free text. */
            description?: string;
            /** @description The variable is required; not described further. */
            required?: boolean;
            /** @description The variable is reusable; not described further. */
            reusable?: boolean;
            /** @description The variable is an environment variable; not described further. */
            isEnv?: boolean;
            /** @description The variable is a system variable; not described further. */
            isSystem?: boolean;
            /** @description The variable persists across conversation nodes. */
            isGlobal?: boolean;
            /** @description Owning agent, returned only. */
            agentId?: string;
            /** @description Owner, returned only. */
            userId?: string;
        };
        /** @description A variable where it configures a field of a tool (specification, 2.4, `fields`): it may lack its id. */
        VariableField: {
            /** @description Variable id, set by the service, returned only. */
            id?: string;
            /** @description The place where the variable is used. */
            in?: string;
            /**
             * @description Type of the value. The specification shows `string` and does not list other values.
             * @example string
             */
            type?: string;
            /** @description Current value; any JSON value. A secret where `isEnv` is true. */
            value?: unknown;
            /** @description Default value; any JSON value. A secret where `isEnv` is true. */
            defaultValue?: unknown;
            /** @description Name. Unique within its agent. */
            key?: string;
            /** @description Free text. */
            description?: string;
            /** @description The variable is required; not described further. */
            required?: boolean;
            /** @description The variable is reusable; not described further. */
            reusable?: boolean;
            /** @description The variable is an environment variable; not described further. */
            isEnv?: boolean;
            /** @description The variable is a system variable; not described further. */
            isSystem?: boolean;
            /** @description The variable persists across conversation nodes. */
            isGlobal?: boolean;
            /** @description Owning agent, returned only. */
            agentId?: string;
            /** @description Owner, returned only. */
            userId?: string;
        };
        /** @description The input that creates a variable (specification, 4.2). */
        VariableInput: {
            /** @description The place where the variable is used. */
            in?: string;
            /**
             * @description Type of the value. The specification shows `string` and does not list other values.
             * @example string
             */
            type?: string;
            /** @description Current value; any JSON value. A secret where `isEnv` is true. */
            value?: unknown;
            /** @description Default value; any JSON value. A secret where `isEnv` is true. */
            defaultValue?: unknown;
            /** @description Name. Must be unique within the agent: a duplicate is answered with a 400. */
            key: string;
            /** @description Free text. */
            description?: string;
            /** @description The variable is required; not described further. */
            required?: boolean;
            /** @description The variable is reusable; not described further. */
            reusable?: boolean;
            /** @description The variable is an environment variable; not described further. */
            isEnv?: boolean;
            /** @description The variable is a system variable; not described further. */
            isSystem?: boolean;
            /** @description The variable persists across conversation nodes. */
            isGlobal?: boolean;
        };
        /** @description The voice session of a conversation (specification, 2.6, voice). */
        VoiceSession: {
            /** @description Id of the latest session. */
            latestSessionId?: string;
            /** @description URL to listen in. Secret. */
            listenUrl?: string;
            /** @description Time of the listen URL: UNIX timestamp; unit not documented. */
            listenUrlUNIX?: number;
        };
        /** @description The call of a conversation at the external voice provider (specification, 2.6, voiceprov). */
        VoiceprovCall: {
            /** @description Cost of the call; unit not documented. */
            cost?: number;
            /** @description Duration of the call; unit not documented. */
            callDuration?: number;
            /** @description URL of the recording. */
            recordingUrl?: string;
            /** @description URL of the synchronised recording. */
            syncRecordingUrl?: string;
            /** @description Telephone number of the caller. */
            callerPhoneNumber?: string;
            /** @description Telephone number of the callee. */
            calleePhoneNumber?: string;
            /** @description Status of the call. */
            callStatus?: string;
            /** @description Error of the call. */
            callError?: string;
        };
        /** @description Payload of `webhook_test` (specification, 6.3), which verifies that a receiver is reachable and configured. */
        WebhookTestPayload: {
            /** @description A text from the service. */
            message: string;
            /** @description When the event was created, in milliseconds since the Unix epoch. */
            createdAt: number;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listMembersAndTeams: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organisation's id. */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The clients and teams. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListMembersAndTeamsResponse"];
                };
            };
            /** @description The operation failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    createVariable: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The agent's id. */
                agentId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateVariableRequest"];
            };
        };
        responses: {
            /** @description The agent has a variable with this key already. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description The operation succeeded. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateVariableResponse"];
                };
            };
            /** @description The operation failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    releasePhoneNumber: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReleasePhoneNumberRequest"];
            };
        };
        responses: {
            /** @description The operation succeeded. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReleasePhoneNumberResponse"];
                };
            };
            /** @description The operation failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    listDefaultTools: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListDefaultToolsResponse"];
                };
            };
            /** @description The operation failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getTool: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The tool's id. `defaults` is refused: it is the path of the catalogue (specification, 4.4). */
                toolId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetToolResponse"];
                };
            };
            /** @description The operation failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    getConversation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The agent that held the conversation. */
                agentId: string;
                /** @description The conversation's id under that agent. */
                convoId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GetConversationResponse"];
                };
            };
            /** @description The operation failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    deleteWorkspace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The workspace's id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operation succeeded. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeleteWorkspaceResponse"];
                };
            };
            /** @description The operation failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
        };
    };
    on_message_received: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "message_received";
                    payload: components["schemas"]["MessageReceivedPayload"] & {
                        /** @description The workspace secret, to be verified by the receiver. */
                        workspaceSecret: string;
                    };
                };
            };
        };
        responses: {
            /** @description Received, within 60 seconds. An empty body is acceptable. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other status is a failed delivery; it is not repeated. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_chat_delegated: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "chat_delegated";
                    payload: components["schemas"]["ChatDelegatedPayload"] & {
                        /** @description The workspace secret, to be verified by the receiver. */
                        workspaceSecret: string;
                    };
                };
            };
        };
        responses: {
            /** @description Received, within 60 seconds. An empty body is acceptable. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other status is a failed delivery; it is not repeated. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_bug_reported: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "bug_reported";
                    payload: components["schemas"]["BugReportedPayload"] & {
                        /** @description The workspace secret, to be verified by the receiver. */
                        workspaceSecret: string;
                    };
                };
            };
        };
        responses: {
            /** @description Received, within 60 seconds. An empty body is acceptable. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other status is a failed delivery; it is not repeated. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_agent_deleted: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "agent_deleted";
                    payload: components["schemas"]["AgentEventPayload"] & {
                        /** @description The workspace secret, to be verified by the receiver. */
                        workspaceSecret: string;
                    };
                };
            };
        };
        responses: {
            /** @description Received, within 60 seconds. An empty body is acceptable. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other status is a failed delivery; it is not repeated. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_webhook_test: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "webhook_test";
                    payload: components["schemas"]["WebhookTestPayload"] & {
                        /** @description The workspace secret, to be verified by the receiver. */
                        workspaceSecret: string;
                    };
                };
            };
        };
        responses: {
            /** @description Received, within 60 seconds. An empty body is acceptable. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other status is a failed delivery; it is not repeated. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_lead_captured: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "lead_captured";
                    payload: components["schemas"]["LeadCapturedPayload"] & {
                        /** @description The workspace secret, to be verified by the receiver. */
                        workspaceSecret: string;
                    };
                };
            };
        };
        responses: {
            /** @description Received, within 60 seconds. An empty body is acceptable. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other status is a failed delivery; it is not repeated. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_form_submitted: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "form_submitted";
                    payload: components["schemas"]["FormSubmittedPayload"] & {
                        /** @description The workspace secret, to be verified by the receiver. */
                        workspaceSecret: string;
                    };
                };
            };
        };
        responses: {
            /** @description Received, within 60 seconds. An empty body is acceptable. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other status is a failed delivery; it is not repeated. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_organisation_created: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "organisation_created";
                    payload: components["schemas"]["OrganisationEventPayload"] & {
                        /** @description The workspace secret, to be verified by the receiver. */
                        workspaceSecret: string;
                    };
                };
            };
        };
        responses: {
            /** @description Received, within 60 seconds. An empty body is acceptable. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other status is a failed delivery; it is not repeated. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_organisation_updated: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "organisation_updated";
                    payload: components["schemas"]["OrganisationEventPayload"] & {
                        /** @description The workspace secret, to be verified by the receiver. */
                        workspaceSecret: string;
                    };
                };
            };
        };
        responses: {
            /** @description Received, within 60 seconds. An empty body is acceptable. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other status is a failed delivery; it is not repeated. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_organisation_deleted: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "organisation_deleted";
                    payload: components["schemas"]["OrganisationEventPayload"] & {
                        /** @description The workspace secret, to be verified by the receiver. */
                        workspaceSecret: string;
                    };
                };
            };
        };
        responses: {
            /** @description Received, within 60 seconds. An empty body is acceptable. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other status is a failed delivery; it is not repeated. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_client_created: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "client_created";
                    payload: components["schemas"]["ClientEventPayload"] & {
                        /** @description The workspace secret, to be verified by the receiver. */
                        workspaceSecret: string;
                    };
                };
            };
        };
        responses: {
            /** @description Received, within 60 seconds. An empty body is acceptable. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other status is a failed delivery; it is not repeated. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_client_updated: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "client_updated";
                    payload: components["schemas"]["ClientEventPayload"] & {
                        /** @description The workspace secret, to be verified by the receiver. */
                        workspaceSecret: string;
                    };
                };
            };
        };
        responses: {
            /** @description Received, within 60 seconds. An empty body is acceptable. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other status is a failed delivery; it is not repeated. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_client_deleted: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "client_deleted";
                    payload: components["schemas"]["ClientEventPayload"] & {
                        /** @description The workspace secret, to be verified by the receiver. */
                        workspaceSecret: string;
                    };
                };
            };
        };
        responses: {
            /** @description Received, within 60 seconds. An empty body is acceptable. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other status is a failed delivery; it is not repeated. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_agent_created: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "agent_created";
                    payload: components["schemas"]["AgentEventPayload"] & {
                        /** @description The workspace secret, to be verified by the receiver. */
                        workspaceSecret: string;
                    };
                };
            };
        };
        responses: {
            /** @description Received, within 60 seconds. An empty body is acceptable. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other status is a failed delivery; it is not repeated. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_agent_updated: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "agent_updated";
                    payload: components["schemas"]["AgentEventPayload"] & {
                        /** @description The workspace secret, to be verified by the receiver. */
                        workspaceSecret: string;
                    };
                };
            };
        };
        responses: {
            /** @description Received, within 60 seconds. An empty body is acceptable. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other status is a failed delivery; it is not repeated. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_conversation_updated: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    type: "conversation_updated";
                    payload: components["schemas"]["ConversationUpdatedPayload"] & {
                        /** @description The workspace secret, to be verified by the receiver. */
                        workspaceSecret: string;
                    };
                };
            };
        };
        responses: {
            /** @description Received, within 60 seconds. An empty body is acceptable. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Any other status is a failed delivery; it is not repeated. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
