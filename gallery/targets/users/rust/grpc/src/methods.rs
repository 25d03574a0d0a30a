//! The methods of `UserService`.

use std::sync::Arc;

use tonic::{Request, Response, Status};
use users_core::service::Service;
use users_core::user::{self, Change};

use crate::proto::user_service_server::UserService;
use crate::proto::{
    CreateUserRequest, CreateUserResponse, DeleteUserRequest, DeleteUserResponse, GetUserRequest, GetUserResponse,
    ListUsersRequest, ListUsersResponse, Pagination, UpdateUserRequest, UpdateUserResponse, User,
};
use crate::{deadline, status};

/// The service.
pub struct Users(pub Arc<Service>);

#[tonic::async_trait]
impl UserService for Users {
    async fn create_user(&self, request: Request<CreateUserRequest>) -> Result<Response<CreateUserResponse>, Status> {
        let deadline = deadline::of(request.extensions());
        let CreateUserRequest { name, email } = request.into_inner();
        let id = self.0.create(deadline, name, email).await.map_err(status::from_error)?;
        Ok(Response::new(CreateUserResponse { id }))
    }

    async fn get_user(&self, request: Request<GetUserRequest>) -> Result<Response<GetUserResponse>, Status> {
        let deadline = deadline::of(request.extensions());
        let user = self.0.get(deadline, request.into_inner().id).await.map_err(status::from_error)?;
        let user::User { id, name, email } = user;
        Ok(Response::new(GetUserResponse { id, name, email }))
    }

    async fn update_user(&self, request: Request<UpdateUserRequest>) -> Result<Response<UpdateUserResponse>, Status> {
        let deadline = deadline::of(request.extensions());
        let UpdateUserRequest { id, name, email } = request.into_inner();
        self.0.update(deadline, id, Change { name, email }).await.map_err(status::from_error)?;
        Ok(Response::new(UpdateUserResponse { id }))
    }

    async fn delete_user(&self, request: Request<DeleteUserRequest>) -> Result<Response<DeleteUserResponse>, Status> {
        let deadline = deadline::of(request.extensions());
        let DeleteUserRequest { id } = request.into_inner();
        self.0.delete(deadline, id).await.map_err(status::from_error)?;
        Ok(Response::new(DeleteUserResponse { id }))
    }

    async fn list_users(&self, request: Request<ListUsersRequest>) -> Result<Response<ListUsersResponse>, Status> {
        let deadline = deadline::of(request.extensions());
        let ListUsersRequest { query, page, limit } = request.into_inner();
        let (query, page) = self.0.list(deadline, &query, page, limit).await.map_err(status::from_error)?;
        let total_pages = query.pages(page.total);
        let pagination = Pagination { total: page.total, page: query.page, limit: query.limit, total_pages };
        Ok(Response::new(ListUsersResponse {
            users: page.users.into_iter().map(User::from).collect(),
            pagination: Some(pagination),
        }))
    }
}

impl From<user::User> for User {
    fn from(user::User { id, name, email }: user::User) -> Self {
        Self { id, name, email }
    }
}
